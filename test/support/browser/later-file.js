// A file as the build makes them: it stands alone. That it ran can be seen from outside.
globalThis.laterFileRan = true;
export const greeting = 'hello';
