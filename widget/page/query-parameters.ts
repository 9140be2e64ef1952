/** The query parameters of an address, by name. By default the address of the page. */
export const queryParameters = (address = location.href) => Object.fromEntries(new URL(address).searchParams);
