/** Of the page's address, by name. */
export const parameters = () => Object.fromEntries(new URLSearchParams(location.search));
