/** What a message asks one of the page's own tools for. */
export type PageRequest =
  | { readonly tool: "send_email"; readonly args: { readonly to: string; readonly text: string } }
  | { readonly tool: "timer"; readonly args: { readonly seconds: number } }
  | { readonly tool: "keep_page"; readonly args: { readonly text: string } };

const EMAIL =
  /^\s*(?:please\s+)?(?:send|write)\s+(?:an?\s+)?e-?mail\s+to\s+([^\s:,][^:,\n]{0,80}?)\s*[:,]\s*(\S[\s\S]{0,1999})$/i;
const TIMER =
  /^\s*(?:please\s+)?(?:(?:set|start)\s+)?(?:(?:\d[\w.,-]*|an?|another|one|half|hours?|minutes?|mins?|seconds?|secs?)[\s-]+){0,4}timer\s*(?:$|[:,.!]|\d|(?:for|of|to|with)\b)/i;
const DURATION =
  /(\d+(?:[.,]\d+)?|\ban?|\bone|\bhalf an?)(?:\s+|-)?(hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b/gi;
const PAGE = /^\s*(?:please\s+)?keep\s+this\s+page\s*:\s*(\S[\s\S]{0,3999})$/i;

/** Understood by the offline assistant, which follows rules. `undefined`: nothing of these. */
export function pageRequestOf(message: string): PageRequest | undefined {
  const [, to, text] = EMAIL.exec(message) ?? [];
  if (to !== undefined && text !== undefined) return { tool: "send_email", args: { to, text: text.trim() } };
  const seconds = TIMER.test(message) ? secondsIn(message) : 0;
  if (seconds > 0) return { tool: "timer", args: { seconds } };
  const page = PAGE.exec(message)?.[1];
  return page === undefined ? undefined : { tool: "keep_page", args: { text: page.trim() } };
}

/** Of "90 seconds", "1.5 minutes", "half an hour" or "1 min 30 s" how many seconds; 0: it names no time. */
const secondsIn = (text: string): number =>
  [...text.slice(0, 200).matchAll(DURATION)].reduce(
    (sum, { 1: amount = "", 2: unit = "" }) =>
      sum + amountOf(amount.toLowerCase()) * secondsOf(unit.toLowerCase()),
    0,
  );

const amountOf = (amount: string): number =>
  /^\d/.test(amount) ? Number(amount.replace(",", ".")) : amount.startsWith("half") ? 0.5 : 1;

const secondsOf = (unit: string): number => (unit.startsWith("h") ? 3_600 : unit.startsWith("m") ? 60 : 1);
