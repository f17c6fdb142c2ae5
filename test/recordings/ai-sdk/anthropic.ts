import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Json, RecordedReply, Recording } from "../recording.ts";

const TOOLS = "https://docs.claude.com/en/docs/agents-and-tools/tool-use";
const REFUSALS =
  "https://docs.claude.com/en/docs/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals";

/** A reply with these blocks, streamed with one delta for each text and input. */
export function messageWith(
  content: readonly Json[],
  fields: Json = { stop_reason: "end_turn" },
): RecordedReply {
  const usage = { input_tokens: 40, output_tokens: 12 };
  const head = { id: "msg_recorded", type: "message", role: "assistant", model: "claude-opus-4-5", usage };
  return {
    whole: { ...head, content, stop_sequence: null, ...fields },
    events: [
      { type: "message_start", message: { ...head, content: [], stop_reason: null, stop_sequence: null } },
      ...content.flatMap((block, index) => [
        { type: "content_block_start", index, content_block: beginOf(block) },
        ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: { stop_sequence: null, ...fields }, usage: { output_tokens: 12 } },
      { type: "message_stop" },
    ],
  };
}

const beginOf = (block: Json): Json => {
  if (block["type"] === "text") return { type: "text", text: "" };
  if (block["type"] === "compaction") return { type: "compaction", content: null };
  return String(block["type"]).endsWith("tool_use") ? { ...block, input: {} } : block;
};

function deltasOf({ type, text, input, content, citations }: Json): readonly Json[] {
  if (type === "text") {
    const cited = (citations ?? []) as readonly Json[];
    return [
      ...cited.map((citation) => ({ type: "citations_delta", citation })),
      { type: "text_delta", text },
    ];
  }
  if (type === "compaction") return [{ type: "compaction_delta", content }];
  return input === undefined ? [] : [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
}

const stop_details = { type: "refusal", category: "cyber", explanation: "This could harm people." };

const bash = createTool({
  name: "bash",
  description: "Runs commands",
  parameters: z.object({ command: z.string() }),
  execute: ({ command }) => `ran ${command}`,
});

const tools = (...list: readonly Json[]) => ({ providerOptions: { anthropic: { tools: list } } });

const call = { type: "tool_use", id: "toolu_recorded", name: "bash", input: { command: "ls" } };

const search = {
  type: "server_tool_use",
  id: "srvtoolu_recorded",
  name: "web_search",
  input: { query: "tallest tower" },
};
const page = {
  type: "web_search_result",
  url: "https://towers.example/",
  title: "Towers",
  encrypted_content: "b3BhcXVl",
  page_age: null,
};
const found = { type: "web_search_tool_result", tool_use_id: search.id, content: [page] };

export const anthropicRecordings: readonly Recording[] = [
  {
    feature: "refusals",
    name: "in the middle of a sentence, with an explanation",
    documented: REFUSALS,
    model: "claude-opus-4-5",
    replies: [messageWith([{ type: "text", text: "First you" }], { stop_reason: "refusal", stop_details })],
    outcome: { status: "completed", output: "This could harm people." },
    kept: [{ content: [{ type: "refusal", refusal: "This could harm people." }] }],
    sentBack: [{ role: "assistant", content: [{ type: "text", text: "This could harm people." }] }],
  },
  {
    feature: "refusals",
    name: "without a word",
    documented: REFUSALS,
    model: "claude-opus-4-5",
    replies: [messageWith([], { stop_reason: "refusal" })],
    outcome: { status: "completed", output: "The model declined to answer." },
  },
  {
    feature: "refusals",
    name: "of an output of a codec",
    documented: REFUSALS,
    model: "claude-opus-4-5",
    agent: { outputCodec: z.object({ a: z.string() }) },
    replies: [messageWith([{ type: "text", text: '{"a": "Fir' }], { stop_reason: "refusal", stop_details })],
    outcome: { status: "error", error: { _tag: "ModelRefused" } },
  },
  {
    feature: "web search",
    name: "configured by its id, with a source",
    documented: `${TOOLS}/web-search-tool`,
    model: "claude-opus-4-5",
    agent: { modelConfig: tools({ id: "anthropic.web_search_20250305", args: { maxUses: 2 } }) },
    replies: [messageWith([search, found, { type: "text", text: "A tall one." }])],
    requested: { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }] },
    outcome: { status: "completed", output: "A tall one." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: search.id, name: "web_search", input: search.input },
          { type: "provider-tool-result", id: search.id, name: "web_search" },
          { type: "text", text: "A tall one." },
          { type: "source", sourceType: "url", url: page.url, title: page.title },
        ],
      },
    ],
    sentBack: [
      {
        role: "assistant",
        content: [search, { ...found }, { type: "text", text: "A tall one." }],
      },
    ],
    usage: [{ inputTokens: 40, outputTokens: 12, cachedInputTokens: 0, cacheWriteTokens: 0 }],
  },
  {
    feature: "sources",
    name: "that split a sentence",
    documented: "https://docs.claude.com/en/docs/build-with-claude/citations",
    model: "claude-opus-4-5",
    replies: [messageWith(["The tower ", "is very", " tall."].map((text) => ({ type: "text", text })))],
    outcome: { status: "completed", output: "The tower is very tall." },
    sentBack: [
      {
        role: "assistant",
        content: ["The tower ", "is very", " tall."].map((text) => ({ type: "text", text })),
      },
    ],
  },
  {
    feature: "compaction",
    name: "before the reply",
    documented: "https://docs.claude.com/en/docs/build-with-claude/compaction",
    model: "claude-opus-4-5",
    replies: [
      messageWith([
        { type: "compaction", content: "They spoke of towers." },
        { type: "text", text: "And now bridges." },
      ]),
    ],
    outcome: { status: "completed", output: "And now bridges." },
    kept: [
      {
        content: [
          { type: "compaction", text: "They spoke of towers." },
          { type: "text", text: "And now bridges." },
        ],
      },
    ],
    sentBack: [
      {
        role: "assistant",
        content: [
          { type: "compaction", content: "They spoke of towers." },
          { type: "text", text: "And now bridges." },
        ],
      },
    ],
  },
  {
    feature: "bash",
    name: "executed by the agent's tool",
    documented: `${TOOLS}/bash-tool`,
    model: "claude-opus-4-5",
    agent: { tools: [bash], modelConfig: tools({ id: "anthropic.bash_20250124" }) },
    replies: [
      messageWith([call], { stop_reason: "tool_use" }),
      messageWith([{ type: "text", text: "Done." }]),
    ],
    requested: { tools: [{ type: "bash_20250124", name: "bash" }] },
    outcome: { status: "completed", output: "Done." },
    ran: [["bash", { command: "ls" }]],
    sentBack: [
      { role: "assistant", content: [call] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: call.id, content: "ran ls" }],
      },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ],
  },
  {
    feature: "bash",
    name: "without a tool of the agent",
    documented: `${TOOLS}/bash-tool`,
    model: "claude-opus-4-5",
    agent: { modelConfig: tools({ id: "anthropic.bash_20250124" }) },
    replies: [messageWith([call], { stop_reason: "tool_use" })],
    outcome: {
      status: "error",
      error: { _tag: "ModelCallError", retryable: false },
      says: "give the agent a tool of this name",
    },
  },
  {
    feature: "bash",
    name: "with an unknown id",
    documented: `${TOOLS}/bash-tool`,
    model: "claude-opus-4-5",
    agent: { modelConfig: tools({ type: "bash_20250124", name: "bash" }) },
    replies: [],
    outcome: {
      status: "error",
      error: { _tag: "ModelCallError", retryable: false },
      says: "providerOptions.anthropic.tools",
    },
  },
];
