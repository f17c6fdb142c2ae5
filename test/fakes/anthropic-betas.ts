import type { Turn } from "./anthropic-rules.ts";
import { isList, isObject, type Json, type JsonObject, Refusal } from "./service.ts";

const typesIn = (items: Json | undefined): readonly string[] =>
  isList(items) ? items.filter(isObject).map(({ type }) => String(type)) : [];

/** What Anthropic takes only with a beta, by the feature's name without its date. */
const FEATURES: Readonly<Record<string, (body: JsonObject, blocks: readonly string[]) => boolean>> = {
  "context-management": ({ context_management: management }) =>
    isObject(management) && typesIn(management["edits"]).some((type) => type.startsWith("clear_")),
  compact: ({ context_management: management }, blocks) =>
    blocks.includes("compaction") ||
    (isObject(management) && typesIn(management["edits"]).some((type) => type.startsWith("compact_"))),
  "mcp-client": ({ mcp_servers }, blocks) => mcp_servers !== undefined || blocks.includes("mcp_tool_use"),
  "computer-use": ({ tools }) => typesIn(tools).some((type) => /^computer_\d/.test(type)),
  "advisor-tool": ({ tools }) => typesIn(tools).some((type) => type.startsWith("advisor_")),
  "server-side-fallback": ({ fallbacks }, blocks) => fallbacks !== undefined || blocks.includes("fallback"),
  skills: ({ container }) => isObject(container) && container["skills"] !== undefined,
};

/** Checks that the request names the betas of what it uses. `header`: `anthropic-beta`. Throws a {@link Refusal}. */
export function checkBetas(body: JsonObject, messages: readonly Turn[], header: string): void {
  const given = new Set(header.split(",").map((beta) => beta.trim().replace(/-\d{4}-\d{2}-\d{2}$/, "")));
  const blocks = messages.flatMap((turn) => turn.blocks.map(({ type }) => String(type)));
  for (const [feature, isUsed] of Object.entries(FEATURES)) {
    if (isUsed(body, blocks) && !given.has(feature))
      throw new Refusal(`Extra inputs are not permitted: the beta ${feature} is required`);
  }
}
