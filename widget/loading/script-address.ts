/** The address of this script, from which the addresses of its server and of the later files are made. */
export const scriptAddress: string = import.meta.url;
