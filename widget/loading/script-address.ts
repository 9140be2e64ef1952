/** The URL of this script. The URLs of its server and of the later files are relative to it. */
export const scriptAddress: string = import.meta.url;
