/** What a message asks one of the page's own tools for. */
export type PageRequest =
  | { readonly tool: "send_email"; readonly args: { readonly to: string; readonly text: string } }
  | { readonly tool: "timer"; readonly args: { readonly seconds: number } }
  | { readonly tool: "keep_page"; readonly args: { readonly text: string } };

const EMAIL =
  /^\s*(?:please\s+)?(?:send|write)\s+(?:an?\s+)?e-?mail\s+to\s+([^\s:,][^:,\n]{0,80}?)\s*[:,]\s*(\S[\s\S]{0,1999})$/i;
const TIMER = /^\s*(?:please\s+)?(?:set|start)\s+a\s+timer\s+(?:for|of)\s+(\d{1,2})\s*(?:s|sec|seconds?)\b/i;
const PAGE = /^\s*(?:please\s+)?keep\s+this\s+page\s*:\s*(\S[\s\S]{0,3999})$/i;

/** Understood by the offline assistant, which follows rules. `undefined`: nothing of these. */
export function pageRequestOf(message: string): PageRequest | undefined {
  const [, to, text] = EMAIL.exec(message) ?? [];
  if (to !== undefined && text !== undefined) return { tool: "send_email", args: { to, text: text.trim() } };
  const seconds = Number(TIMER.exec(message)?.[1] ?? 0);
  if (seconds >= 1 && seconds <= 60) return { tool: "timer", args: { seconds } };
  const page = PAGE.exec(message)?.[1];
  return page === undefined ? undefined : { tool: "keep_page", args: { text: page.trim() } };
}
