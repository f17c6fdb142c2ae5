import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Json, RecordedReply, Recording } from "../recording.ts";

const GUIDES = "https://platform.openai.com/docs/guides";

const usage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 10 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 3 },
};

/** A response with these items, streamed with one delta for each text. */
export function responseWith(...output: readonly Json[]): RecordedReply {
  const head = {
    id: "resp_recorded",
    object: "response",
    created_at: 1,
    model: "gpt-5.1",
    status: "completed",
  };
  const begin = { type: "response.created", response: { ...head, status: "in_progress", output: [] } };
  return {
    whole: { ...head, output, usage },
    events: [
      begin,
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item: beginOf(item) },
        ...deltasOf(item, output_index),
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: { ...head, output, usage } },
    ],
  };
}

const beginOf = (item: Json): Json => (item["type"] === "message" ? { ...item, content: [] } : item);

function deltasOf({ type, id: item_id, content }: Json, output_index: number): readonly Json[] {
  if (type !== "message") return [];
  return (content as readonly Json[]).flatMap((part, content_index) => {
    const place = { item_id, output_index, content_index };
    if (part["type"] === "refusal")
      return [{ type: "response.refusal.delta", ...place, delta: part["refusal"] }];
    return [
      { type: "response.output_text.delta", ...place, delta: part["text"] },
      ...((part["annotations"] ?? []) as readonly Json[]).map((annotation, annotation_index) => ({
        ...{ type: "response.output_text.annotation.added", ...place, annotation_index },
        annotation,
      })),
    ];
  });
}

const messageOf = (...content: readonly Json[]): Json => ({
  type: "message",
  id: "msg_recorded",
  status: "completed",
  role: "assistant",
  content,
});

const textOf = (text: string, annotations: readonly Json[] = []): Json => ({
  type: "output_text",
  text,
  annotations,
});

/** A response with this text alone. */
export const responseOf = (text: string): RecordedReply => responseWith(messageOf(textOf(text)));

const done = responseOf("Done.");

const refused = responseWith(messageOf({ type: "refusal", refusal: "I can't help with that." }));

/** A text as the AI SDK sends it back to a model that reasons: without its id, as it comes without its reasoning. */
const answered = (text: string): Json => ({ role: "assistant", content: [{ type: "output_text", text }] });

const tools = (...list: readonly Json[]) => ({ providerOptions: { openai: { tools: list, store: false } } });

const wiki = { serverLabel: "wiki", serverUrl: "https://wiki.example/mcp", requireApproval: "always" };

const request = {
  type: "mcp_approval_request",
  id: "mcpr_recorded",
  server_label: "wiki",
  name: "search",
  arguments: '{"query":"towers"}',
};

const executed = {
  type: "mcp_call",
  id: "mcp_recorded",
  status: "completed",
  approval_request_id: "mcpr_recorded",
  server_label: "wiki",
  name: "search",
  arguments: '{"query":"towers"}',
  output: "A tower.",
  error: null,
};

const cited = (start_index: number, end_index: number): Json => ({
  type: "url_citation",
  url: "https://towers.example/",
  title: "Towers",
  start_index,
  end_index,
});

const shell = createTool({
  name: "shell",
  description: "Runs commands",
  parameters: z.object({ action: z.object({ commands: z.array(z.string()) }) }),
  execute: ({ action }) => `ran ${action.commands.join()}`,
});

const shellCall = {
  type: "shell_call",
  id: "sh_recorded",
  call_id: "call_recorded",
  status: "completed",
  action: { commands: ["ls"] },
};

export const responsesRecordings: readonly Recording[] = [
  {
    feature: "refusals",
    name: "with its words",
    documented: `${GUIDES}/structured-outputs#refusals`,
    model: "gpt-5.1",
    replies: [refused],
    outcome: { status: "completed", output: "I can't help with that." },
    kept: [{ content: [{ type: "refusal", refusal: "I can't help with that." }] }],
    sentBack: [answered("I can't help with that.")],
    usage: [{ inputTokens: 30, cachedInputTokens: 10, outputTokens: 8, reasoningTokens: 3 }],
  },
  {
    feature: "refusals",
    name: "of an output of a codec",
    documented: `${GUIDES}/structured-outputs#refusals`,
    model: "gpt-5.1",
    agent: { outputCodec: z.object({ a: z.string() }) },
    replies: [refused],
    outcome: { status: "error", error: { _tag: "ModelRefused" } },
  },
  {
    feature: "sources",
    name: "with their places in the text",
    documented: `${GUIDES}/tools-web-search`,
    model: "gpt-5.1",
    agent: { modelConfig: { providerOptions: { openai: { tools: [{ id: "openai.web_search" }] } } } },
    replies: [responseWith(messageOf(textOf("Tall. Very tall.", [cited(0, 4), cited(6, 15)])))],
    requested: { tools: [{ type: "web_search" }] },
    outcome: { status: "completed", output: "Tall. Very tall." },
    kept: [
      {
        content: [
          { type: "text", text: "Tall. Very tall." },
          {
            type: "source",
            sourceType: "url",
            url: "https://towers.example/",
            ranges: [
              { start: 0, end: 4 },
              { start: 6, end: 15 },
            ],
          },
        ],
      },
    ],
    sentBack: [answered("Tall. Very tall.")],
  },
  {
    feature: "MCP with approval",
    name: "after an approval",
    documented: `${GUIDES}/tools-connectors-mcp#approvals`,
    model: "gpt-5.1",
    agent: { modelConfig: tools({ id: "openai.mcp", args: wiki }) },
    replies: [responseWith(request), responseWith(executed, messageOf(textOf("It is tall.")))],
    requested: { tools: [{ type: "mcp", server_label: "wiki", require_approval: "always" }] },
    outcome: { status: "interrupted", waitsFor: ["mcp.search"] },
    kept: [
      { role: "assistant", content: "" },
      { role: "tool", content: '{"status":"success","data":{"approved":true}}' },
      { role: "assistant" },
    ],
    sentBack: [
      { type: "mcp_approval_response", approval_request_id: "mcpr_recorded", approve: true },
      answered("It is tall."),
    ],
  },
  {
    feature: "shell",
    name: "executed by the agent's tool, whose text is put into the service's form",
    documented: `${GUIDES}/tools-shell`,
    model: "gpt-5.1",
    agent: { tools: [shell], modelConfig: tools({ id: "openai.shell" }) },
    replies: [responseWith(shellCall), done],
    requested: { tools: [{ type: "shell" }] },
    outcome: { status: "completed", output: "Done." },
    ran: [["shell", { action: { commands: ["ls"] } }]],
    sentBack: [
      shellCall,
      {
        ...{ type: "shell_call_output", call_id: "call_recorded" },
        output: [{ stdout: "ran ls", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
      },
      answered("Done."),
    ],
  },
  {
    feature: "shell",
    name: "without a tool of the agent",
    documented: `${GUIDES}/tools-shell`,
    model: "gpt-5.1",
    agent: { modelConfig: tools({ id: "openai.shell" }) },
    replies: [responseWith(shellCall)],
    outcome: {
      status: "error",
      error: { _tag: "ModelCallError", retryable: false },
      says: "give the agent a tool of this name",
    },
  },
];

const refusal = "I can't help with that.";

const chatRefusal: RecordedReply = {
  whole: {
    ...{ id: "chatcmpl-recorded", object: "chat.completion", created: 1, model: "gpt-5.1" },
    choices: [{ index: 0, message: { role: "assistant", content: null, refusal }, finish_reason: "stop" }],
  },
  events: [
    { choices: [{ index: 0, delta: { role: "assistant", content: null, refusal }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    "[DONE]",
  ].map((event) =>
    typeof event === "string" ? event : { id: "chatcmpl-recorded", created: 1, model: "m", ...event },
  ),
};

export const chatRecordings: readonly Recording[] = [
  {
    feature: "refusals",
    name: "with its words",
    documented: `${GUIDES}/structured-outputs#refusals`,
    model: "gpt-5.1",
    replies: [chatRefusal],
    outcome: { status: "completed", output: refusal },
    kept: [{ content: [{ type: "refusal", refusal }] }],
    sentBack: [{ role: "assistant", content: refusal }],
  },
  {
    feature: "refusals",
    name: "of an output of a codec",
    documented: `${GUIDES}/structured-outputs#refusals`,
    model: "gpt-5.1",
    agent: { outputCodec: z.object({ a: z.string() }) },
    replies: [chatRefusal],
    outcome: { status: "error", error: { _tag: "ModelRefused" } },
  },
];
