/** What the drivers of the engines cannot do. The driver of WebKit neither sizes the window nor holds a key down. */
const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrome/.test(navigator.userAgent);

/** Defines a test that WebKit skips. */
export const itExceptWebKit = isWebKit ? it.skip : it;

/** Defines tests that WebKit skips. */
export const describeExceptWebKit = isWebKit ? describe.skip : describe;
