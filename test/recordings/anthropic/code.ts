import type { JsonObject } from "../../fakes/service.ts";
import type { RecordedReply, Recording } from "../recording.ts";
import {
  answered,
  assistant,
  documentation,
  found,
  MODEL,
  recorded,
  serverUse,
  text,
  use,
} from "./message.ts";
import { agentWith, tool } from "./tools.ts";

const CODE = { type: "code_execution_20260120", name: "code_execution" };
const CALLERS = { allowed_callers: ["code_execution_20260120"] };
const container = { id: "container_7", expires_at: "2026-12-01T00:00:00Z", skills: null };
const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_p1" };

const begun = [
  text("I'll compare both cities."),
  serverUse("srvtoolu_p1", "code_execution", { code: "for c in cities: await weather(c)" }),
  use("toolu_p1", "weather", { city: "Pune" }, { caller }),
];
const again = [use("toolu_p2", "weather", { city: "Oslo" }, { caller })];
const ended = [
  found("code_execution", "srvtoolu_p1", {
    ...{ type: "code_execution_result", stdout: "Pune\n", stderr: "", return_code: 0, content: [] },
  }),
  text("Pune is warmer."),
];

/**
 * No model writes what running code does: a stream has it at once, in its first event. `later`: further events, and their
 * blocks.
 */
function atOnce(
  content: readonly JsonObject[],
  later: { readonly events: readonly JsonObject[]; readonly blocks?: readonly JsonObject[] } = { events: [] },
): RecordedReply {
  const { whole } = recorded([...content, ...(later.blocks ?? [])], { container });
  const { stop_reason, usage, ...message } = whole;
  return {
    whole,
    events: [
      { type: "message_start", message: { ...message, content, stop_reason: null, usage } },
      ...later.events,
      { type: "message_delta", delta: { stop_reason, stop_sequence: null, container }, usage },
      { type: "message_stop" },
    ],
  };
}

const twice = [
  { type: "content_block_start", index: 0, content_block: { ...again[0], input: {} } },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: '{"city":"Oslo"}' },
  },
  { type: "content_block_stop", index: 0 },
];

const goesOn = [
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Pune is warmer." } },
  { type: "content_block_stop", index: 1 },
];

const programmatic = (name: string, reply: RecordedReply): Recording => ({
  feature: "programmatic calls",
  name,
  documented: documentation("agents-and-tools/tool-use/programmatic-tool-calling"),
  model: MODEL,
  agent: agentWith({ tools: [CODE] }, [tool("weather", "20 °C", CALLERS)]),
  replies: [
    recorded(begun, { container }),
    reply,
    atOnce(ended.slice(0, 1), { events: goesOn, blocks: ended.slice(1) }),
  ],
  requested: { tools: [{ name: "weather", ...CALLERS }, CODE] },
  outcome: { status: "completed", output: "Pune is warmer." },
  kept: [
    { tool_calls: [{ id: "toolu_p1", caller }] as never },
    { role: "tool" },
    { tool_calls: [{ id: "toolu_p2", caller }] as never },
    { role: "tool" },
    { content: [{ type: "provider-tool-result", id: "srvtoolu_p1" }, { type: "text" }] },
  ],
  ran: [
    ["weather", { city: "Pune" }],
    ["weather", { city: "Oslo" }],
  ],
  sentBack: [
    assistant(...begun),
    answered("toolu_p1", "20 °C"),
    assistant(...again),
    answered("toolu_p2", "20 °C"),
    assistant(...ended),
  ],
});

const inner = serverUse("srvtoolu_i1", "web_search", { query: "Pune" }, { caller });
const innerFound = { ...found("web_search", "srvtoolu_i1", []), caller };
const [, search] = begun;
const byCode = [search, inner, innerFound, ended[0], text("Nothing.")].filter((block) => block !== undefined);

/** Code that calls a tool of the service. */
const searching: Recording = {
  feature: "code execution",
  name: "searches the web",
  documented: documentation("agents-and-tools/tool-use/web-search-tool"),
  model: MODEL,
  agent: agentWith({ tools: [CODE, { type: "web_search_20260209", name: "web_search" }] }),
  replies: [recorded(byCode, { container })],
  outcome: { status: "completed", output: "Nothing." },
  sentBack: [assistant(...byCode)],
};

const SKILLS = { skills: [{ type: "anthropic", skill_id: "xlsx", version: "latest" }] };
const paused = [
  text("I'll make a table. "),
  serverUse("srvtoolu_k1", "bash_code_execution", { command: "make" }),
];
const made = [
  found("bash_code_execution", "srvtoolu_k1", {
    ...{ type: "bash_code_execution_result", stdout: "", stderr: "", return_code: 0, content: [] },
  }),
  text("Here it is."),
];

export const code: readonly Recording[] = [
  programmatic("come in the first event of a stream", atOnce(again)),
  programmatic(
    "come in the first event of a stream, and once more as a block",
    atOnce(again, { events: twice }),
  ),
  searching,
  {
    ...searching,
    name: "is cut off behind a search",
    replies: [recorded([text("I look."), ...byCode.slice(0, 3)], { container, stop_reason: "max_tokens" })],
    outcome: { status: "completed", output: "I look." },
    sentBack: [assistant(text("I look."))],
  },
  {
    feature: "skills",
    name: "go on in the container of a paused reply",
    documented: documentation("build-with-claude/skills-guide"),
    model: MODEL,
    agent: agentWith({ container: SKILLS, tools: [CODE] }),
    replies: [recorded(paused, { container, stop_reason: "pause_turn" }), recorded(made, { container })],
    requested: { container: SKILLS },
    outcome: { status: "completed", output: "I'll make a table. \nHere it is." },
    sentBack: [assistant(...paused, ...made)],
    sentBeside: { container: SKILLS },
  },
];

/** Skills in a container where the code waits for a result. */
export const pendingCode: Recording = {
  ...programmatic("run in a container with skills", atOnce(again)),
  agent: agentWith({ container: SKILLS, tools: [CODE] }, [tool("weather", "20 °C", CALLERS)]),
};
