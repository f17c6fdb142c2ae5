import { createHash } from "node:crypto";
import { estimateTokens } from "@jaf/memory/history";

/** A request to Anthropic's Messages, as far as it is a prompt. */
export interface PromptBody {
  readonly tools?: readonly Block[];
  readonly system?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

type Block = Readonly<Record<string, unknown>>;

export interface Coverage {
  readonly prompt: number;
  /** Of the prompt, what begins it and an earlier request has marked the end of. */
  readonly covered: number;
  /** Of what comes behind that, what lies before the last breakpoint, and so is kept for later requests. */
  readonly written: number;
}

/** How many blocks a service looks back from a breakpoint, itself the first, as Anthropic documents. */
const LOOKED_AT = 20;

/** Watches the requests of one conversation. */
export function watchCoverage(): (body: PromptBody) => Coverage {
  const kept = new Set<string>();
  return (body) => {
    const hash = createHash("sha256");
    const prefixes: { readonly digest: string; readonly tokens: number; readonly isMarked: boolean }[] = [];
    let tokens = 0;
    for (const { region, block } of blocksOf(body)) {
      const { cache_control: mark, ...sent } = block;
      hash.update(`${region} ${JSON.stringify(sent)}`);
      tokens += tokensOf(sent);
      prefixes.push({ digest: hash.copy().digest("hex"), tokens, isMarked: mark !== undefined });
    }
    const marks = prefixes.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    if (marks.length > 4) throw new Error(`${marks.length} breakpoints: Anthropic takes four`);
    const seen = marks.flatMap((mark) => prefixes.slice(Math.max(0, mark + 1 - LOOKED_AT), mark + 1));
    const covered = Math.max(
      0,
      ...seen.filter(({ digest }) => kept.has(digest)).map((prefix) => prefix.tokens),
    );
    for (const mark of marks) kept.add(prefixes[mark]?.digest ?? "");
    const marked = prefixes[marks.at(-1) ?? -1]?.tokens ?? 0;
    return { prompt: tokens, covered, written: marked - covered };
  };
}

/** As `countMessageTokens` counts what a message holds: texts as they are read, and calls by name and arguments. */
function tokensOf({ type, text, content, name, input, ...definition }: Block): number {
  if (type === "text") return FRAME + estimateTokens(String(text));
  if (type === "tool_result") return FRAME + estimateTokens(textIn(content));
  if (type === "tool_use") return 2 * FRAME + estimateTokens(`${name}${JSON.stringify(input)}`);
  return 2 * FRAME + estimateTokens(JSON.stringify({ name, ...definition }));
}

/** What frames a message. */
const FRAME = 4;

const textIn = (content: unknown): string =>
  typeof content === "string" ? content : JSON.stringify(content ?? "");

/** In the order in which the service keeps them. */
function* blocksOf({ tools = [], system = [], messages }: PromptBody) {
  for (const block of tools) yield { region: "tools", block };
  for (const block of system) yield { region: "system", block };
  for (const { role, content } of messages) for (const block of content) yield { region: role, block };
}
