import type { Recording } from "../recording.ts";
import { answered, assistant, documentation, MODEL, recorded, text, use } from "./message.ts";
import { agentWith, tool } from "./tools.ts";

const CLEAR = {
  edits: [
    { type: "clear_thinking_20251015", keep: "all" },
    { type: "clear_tool_uses_20250919", trigger: { type: "input_tokens", value: 30_000 } },
  ],
};
const COMPACT = { edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }] };

const applied = {
  applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 8, cleared_input_tokens: 50_000 }],
};

const summary = {
  type: "compaction",
  content: "The user plans a trip to Pune.",
  encrypted_content: "c3VtbWFyeQ==",
};
const call = use("toolu_x1", "weather", { city: "Pune" });

const compacted = {
  ...{ input_tokens: 600, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 12 },
  iterations: [
    {
      ...{ type: "compaction", input_tokens: 60_000, output_tokens: 385 },
      ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    },
    {
      ...{ type: "message", input_tokens: 600, output_tokens: 12 },
      ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    },
  ],
};

/** The service found no summary. Only the delta says so. */
const failed = { type: "compaction", content: null, encrypted_content: null };
const unsummarized = recorded([failed, text("Pack an umbrella.")]);
const begun = { type: "content_block_start", index: 0, content_block: { ...failed, content: "" } };

export const context: readonly Recording[] = [
  {
    feature: "context editing",
    name: "says what was cleared",
    documented: documentation("build-with-claude/context-editing"),
    model: MODEL,
    agent: agentWith({ context_management: CLEAR }, [tool("weather", "Sunny.")]),
    replies: [recorded([call]), recorded([text("Sunny.")], { context_management: applied })],
    requested: { context_management: CLEAR },
    outcome: { status: "completed", output: "Sunny." },
    kept: [{}, {}, { content: "Sunny.", providerMetadata: { anthropic: { context_management: applied } } }],
    ran: [["weather", { city: "Pune" }]],
    sentBack: [assistant(call), answered("toolu_x1", "Sunny."), assistant(text("Sunny."))],
  },
  {
    feature: "compaction",
    name: "is billed beside the reply",
    documented: documentation("build-with-claude/compaction-threshold"),
    model: MODEL,
    agent: agentWith({ context_management: COMPACT }),
    replies: [recorded([summary, text("Pack an umbrella.")], { usage: compacted })],
    requested: { context_management: COMPACT },
    outcome: { status: "completed", output: "Pack an umbrella." },
    kept: [
      {
        content: [summary, { type: "text", text: "Pack an umbrella." }],
        providerMetadata: { anthropic: { usage: { iterations: compacted.iterations } } },
      },
    ],
    sentBack: [assistant(summary, text("Pack an umbrella."))],
    usage: [{ inputTokens: 60_600, outputTokens: 397, cachedInputTokens: 0, cacheWriteTokens: 0 }],
  },
  {
    feature: "compaction",
    name: "finds no summary",
    documented: documentation("build-with-claude/compaction-threshold"),
    model: MODEL,
    agent: agentWith({ context_management: COMPACT }),
    replies: [{ ...unsummarized, events: unsummarized.events.with(1, begun) }],
    outcome: { status: "completed", output: "Pack an umbrella." },
    kept: [{ content: [failed, { type: "text", text: "Pack an umbrella." }] }],
    sentBack: [assistant(failed, text("Pack an umbrella."))],
  },
  {
    feature: "compaction",
    name: "pauses before the reply",
    documented: documentation("build-with-claude/compaction-threshold"),
    model: MODEL,
    agent: agentWith({
      context_management: {
        edits: [{ ...COMPACT.edits[0], type: "compact_20260112", pause_after_compaction: true }],
      },
    }),
    replies: [
      recorded([summary], {
        stop_reason: "compaction",
        usage: {
          ...{ input_tokens: 0, output_tokens: 0 },
          iterations: [{ type: "compaction", input_tokens: 60_000, output_tokens: 385 }],
        },
      }),
      recorded([text("Pack an umbrella.")], { usage: { input_tokens: 600, output_tokens: 12 } }),
    ],
    outcome: { status: "completed", output: "Pack an umbrella." },
    sentBack: [assistant(summary, text("Pack an umbrella."))],
    usage: [{ inputTokens: 60_600, outputTokens: 397 }],
  },
];
