const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/**
 * The address of a link in a text that anybody may have written: absolute, and only where a browser opens it without running
 * anything. `undefined`: it is shown as text.
 */
export function safeHref(href: string): string | undefined {
  try {
    const url = new URL(href);
    return PROTOCOLS.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined; // Relative: it would lead into this page.
  }
}
