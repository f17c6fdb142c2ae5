import type { Json, RecordedReply, Recording } from "../recording.ts";
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

const SEARCH = { type: "web_search_20250305", name: "web_search" };
const STOPS = documentation("build-with-claude/handling-stop-reasons");

const search = serverUse("srvtoolu_1", "web_search", { query: "Mars" });
const result = found("web_search", "srvtoolu_1", [
  {
    type: "web_search_result",
    url: "https://a.example/",
    title: "A",
    encrypted_content: "ZW5j",
    page_age: null,
  },
]);
const counted = (input_tokens: number, output_tokens: number, web_search_requests: number) => ({
  usage: { input_tokens, output_tokens, server_tool_use: { web_search_requests, web_fetch_requests: 0 } },
});

const stop_details = { type: "refusal", category: "cyber", explanation: "This could do harm." };

const fallback = {
  ...{ type: "fallback", trigger: { type: "refusal", category: "cyber" } },
  ...{ from: { model: "claude-fable-5-1" }, to: { model: "claude-opus-5" } },
};
const declined = use("toolu_b1", "scan", { host: "a.example" });
const retried = use("toolu_b2", "scan", { host: "b.example" });

/** A stream begins before it is known which model will answer. */
const begunBy = (model: string, { whole, events }: RecordedReply): RecordedReply => ({
  whole,
  events: (events as readonly Json[]).map((event) =>
    event["type"] === "message_start"
      ? { ...event, message: { ...(event["message"] as Json), model } }
      : event,
  ),
});

const cut = recorded([text("I'll scan."), use("toolu_b3", "scan", {})], { stop_reason: "max_tokens" });
const isInput = ({ delta }: Json): boolean => (delta as Json | undefined)?.["type"] === "input_json_delta";

export const stops: readonly Recording[] = [
  {
    feature: "paused turns",
    name: "goes on inside one model call",
    documented: STOPS,
    model: MODEL,
    agent: agentWith({ tools: [SEARCH] }),
    replies: [
      recorded([search], { stop_reason: "pause_turn", ...counted(10, 5, 1) }),
      recorded([result, text("Found.")], counted(40, 7, 2)),
    ],
    outcome: { status: "completed", output: "Found." },
    kept: [
      {
        providerMetadata: {
          anthropic: { usage: { server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 } } },
        },
      },
    ],
    sentBack: [assistant(search, result, text("Found."))],
    usage: [{ inputTokens: 50, outputTokens: 12 }],
  },
  {
    feature: "paused turns",
    name: "goes on with the result of a call that waits",
    documented: STOPS,
    model: MODEL,
    agent: agentWith({ tools: [SEARCH] }, [tool("scan", "open")]),
    replies: [recorded([search, retried], { stop_reason: "pause_turn" }), recorded([result, text("Found.")])],
    outcome: { status: "completed", output: "Found." },
    ran: [["scan", { host: "b.example" }]],
    sentBack: [assistant(search, retried), answered("toolu_b2", "open"), assistant(result, text("Found."))],
  },
  {
    feature: "paused turns",
    name: "is an error if the reply is still paused after the last continuation",
    documented: STOPS,
    model: MODEL,
    options: { maxContinuations: 1 },
    agent: agentWith({ tools: [SEARCH] }),
    replies: [
      recorded([search], { stop_reason: "pause_turn" }),
      recorded([result, serverUse("srvtoolu_2", "web_search", { query: "Phobos" })], {
        stop_reason: "pause_turn",
      }),
    ],
    outcome: { status: "error", error: { _tag: "ModelBehaviorError" }, says: "web_search" },
  },
  {
    feature: "refusals",
    name: "keeps what was said before, and runs nothing",
    documented: documentation("build-with-claude/refusals-and-fallback"),
    model: MODEL,
    agent: agentWith({}, [tool("scan", "open")]),
    replies: [recorded([text("I'll scan."), declined], { stop_reason: "refusal", stop_details })],
    outcome: { status: "completed", output: "This could do harm." },
    kept: [
      {
        content: [{ type: "refusal", refusal: "This could do harm." }],
        providerMetadata: { anthropic: { stop_details } },
      },
    ],
    sentBack: [assistant(text("This could do harm."))],
  },
  {
    feature: "refusals",
    name: "runs only the calls of the model that took over",
    documented: documentation("build-with-claude/refusals-and-fallback"),
    model: "claude-fable-5-1",
    agent: agentWith({ fallbacks: "default" }, [tool("scan", "open")]),
    replies: [
      begunBy(
        "claude-fable-5-1",
        recorded([text("I'll scan."), declined, fallback, retried], {
          model: "claude-opus-5",
          usage: {
            ...{ input_tokens: 412, output_tokens: 40 },
            iterations: [
              { type: "message", model: "claude-fable-5-1", input_tokens: 412, output_tokens: 9 },
              { type: "fallback_message", model: "claude-opus-5", input_tokens: 412, output_tokens: 40 },
            ],
          },
        }),
      ),
      recorded([text("Open.")]),
    ],
    requested: { fallbacks: "default" },
    outcome: { status: "completed", output: "Open." },
    kept: [{ providerMetadata: { anthropic: { model: "claude-opus-5" } } }, {}, {}],
    ran: [["scan", { host: "b.example" }]],
    sentBack: [
      assistant(text("I'll scan."), fallback, retried),
      answered("toolu_b2", "open"),
      assistant(text("Open.")),
    ],
    usage: [{ inputTokens: 824, outputTokens: 49 }],
  },
  {
    feature: "stop reasons",
    name: "doesn't run a call that the limit has cut off",
    documented: STOPS,
    model: MODEL,
    agent: agentWith({}, [tool("scan", "open")]),
    replies: [
      { ...cut, events: cut.events.filter((event) => typeof event === "string" || !isInput(event)) },
      recorded([text("Which host?")]),
    ],
    outcome: { status: "completed", output: "Which host?" },
    kept: [{ tool_calls: [{ id: "toolu_b3" }] as never }, { role: "tool" }, { content: "Which host?" }],
    ran: [],
  },
  {
    feature: "stop reasons",
    name: "ends at the limit of the context window",
    documented: STOPS,
    model: MODEL,
    replies: [recorded([text("So far")], { stop_reason: "model_context_window_exceeded" })],
    outcome: { status: "completed", output: "So far" },
    sentBack: [assistant(text("So far"))],
  },
  {
    feature: "stop reasons",
    name: "is an error if the context window has no room for a reply",
    documented: STOPS,
    model: MODEL,
    replies: [recorded([], { stop_reason: "model_context_window_exceeded" })],
    outcome: {
      status: "error",
      error: { _tag: "ModelBehaviorError" },
      says: "model_context_window_exceeded",
    },
  },
];
