// The user info, the path and the query may contain secrets.
/**
 * Returns a URL's scheme, host and port, for messages and logs. Returns `"the address"` if the URL is relative or
 * invalid.
 */
export const shownOrigin = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "the address");
