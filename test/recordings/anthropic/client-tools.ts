import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { JsonObject } from "../../fakes/service.ts";
import type { Recording } from "../recording.ts";
import { answered, assistant, documentation, MODEL, recorded, text, use } from "./message.ts";
import { agentWith, tool } from "./tools.ts";

const done = text("Done.");

interface ClientTool {
  readonly feature: Recording["feature"];
  readonly page: string;
  readonly definition: { readonly type: string; readonly name: string };
  readonly input: { readonly [field: string]: string | readonly number[] };
}

/** The service defines the tool, and a tool of the agent with its name runs it. */
const configured = ({ feature, page, definition, input }: ClientTool): Recording => {
  const call = use("toolu_c1", definition.name, input);
  return {
    feature,
    name: "is run by the agent's tool of that name",
    documented: documentation(page),
    model: MODEL,
    agent: agentWith({ tools: [definition] }, [
      tool(definition.name, "All is well.", { defer_loading: false }),
    ]),
    replies: [recorded([text("I'll do it."), call]), recorded([done])],
    requested: { tools: [{ ...definition, defer_loading: false }] },
    outcome: { status: "completed", output: "Done." },
    ran: [[definition.name, input]],
    sentBack: [assistant(text("I'll do it."), call), answered("toolu_c1", "All is well."), assistant(done)],
  };
};

const unconfigured = ({ feature, page, definition, input }: ClientTool): Recording => ({
  feature,
  name: "is called, but no tool of the agent runs it",
  documented: documentation(page),
  model: MODEL,
  agent: agentWith({ tools: [definition] }),
  replies: [recorded([use("toolu_c1", definition.name, input)])],
  outcome: {
    status: "error",
    error: { _tag: "ModelCallError", retryable: false },
    says: `add a tool named '${definition.name}' to the agent`,
  },
});

const MEMORY: ClientTool = {
  feature: "memory",
  page: "agents-and-tools/tool-use/memory-tool",
  definition: { type: "memory_20250818", name: "memory" },
  input: { command: "view", path: "/memories" },
};

const BASH: ClientTool = {
  feature: "bash",
  page: "agents-and-tools/tool-use/bash-tool",
  definition: { type: "bash_20250124", name: "bash" },
  input: { command: "ls -la" },
};

const EDITOR: ClientTool = {
  feature: "text editor",
  page: "agents-and-tools/tool-use/text-editor-tool",
  definition: { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
  input: { command: "view", path: "a.ts", view_range: [1, 9] },
};

const COMPUTER: ClientTool = {
  feature: "computer use",
  page: "agents-and-tools/tool-use/computer-use-tool",
  definition: { type: "computer_20251124", name: "computer" },
  input: { action: "left_click", coordinate: [10, 20] },
};

const sum = (anthropic: JsonObject) =>
  createTool({
    name: "add",
    description: "Adds two numbers.",
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => String(a + b),
    providerOptions: { anthropic },
  });

const TOOLSET = { type: "computer_toolset_20260801", configs: { zoom: { enabled: false } } };
const click = use("toolu_s1", "left_click", { coordinate: [10, 20] }, { toolset_name: "computer" });
const confused = use(
  "toolu_s2",
  "left_click",
  { action: "type", coordinate: [10, 20] },
  { toolset_name: "computer" },
);
const picture = { type: "media", mediaType: "image/png", data: "iVBORw==" } as const;
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw==" } };

const search = use("toolu_r1", "find_tools", { query: "weather" });
const weather = use("toolu_r2", "weather_now", {});

export const clientTools: readonly Recording[] = [
  ...[MEMORY, BASH, EDITOR, COMPUTER].map(configured),
  ...[MEMORY, BASH, COMPUTER].map(unconfigured),
  {
    feature: "computer use",
    name: "has a member of the toolset run by the agent's tool of the toolset's name",
    documented: documentation("agents-and-tools/tool-use/computer-use-tool"),
    model: MODEL,
    agent: agentWith({ tools: [TOOLSET] }, [tool("computer", { parts: [picture] })]),
    replies: [recorded([click]), recorded([done])],
    requested: { tools: [TOOLSET] },
    outcome: { status: "completed", output: "Done." },
    ran: [["computer", { action: "left_click", coordinate: [10, 20] }]],
    sentBack: [
      assistant(click),
      answered("toolu_s1", [image], { toolset_name: "computer" }),
      assistant(done),
    ],
  },
  {
    feature: "computer use",
    name: "runs the called member of the toolset, even if its input names another",
    documented: documentation("agents-and-tools/tool-use/computer-use-tool"),
    model: MODEL,
    agent: agentWith({ tools: [TOOLSET] }, [tool("computer", { parts: [picture] })]),
    replies: [recorded([confused]), recorded([done])],
    outcome: { status: "completed", output: "Done." },
    ran: [["computer", { action: "left_click", coordinate: [10, 20] }]],
    sentBack: [
      assistant({ ...click, id: "toolu_s2" }),
      answered("toolu_s2", [image], { toolset_name: "computer" }),
      assistant(done),
    ],
  },
  {
    feature: "computer use",
    name: "calls a member of a toolset that nothing runs",
    documented: documentation("agents-and-tools/tool-use/computer-use-tool"),
    model: MODEL,
    agent: agentWith({ tools: [TOOLSET] }),
    replies: [recorded([click])],
    outcome: {
      status: "error",
      error: { _tag: "ModelCallError", retryable: false },
      says: "add a tool named 'computer' to the agent",
    },
  },
  {
    feature: "tool search",
    name: "is run by a tool of the agent, which refers to a deferred tool",
    documented: documentation("agents-and-tools/tool-use/tool-search-tool"),
    model: MODEL,
    agent: agentWith({}, [
      tool("find_tools", [{ type: "tool_reference", tool_name: "weather.now" }]),
      tool("weather.now", "Sunny.", { defer_loading: true }),
    ]),
    replies: [recorded([search]), recorded([{ ...weather }]), recorded([done])],
    requested: { tools: [{ name: "find_tools" }, { name: "weather_now", defer_loading: true }] },
    outcome: { status: "completed", output: "Done." },
    ran: [
      ["find_tools", { query: "weather" }],
      ["weather.now", {}],
    ],
    sentBack: [
      assistant(search),
      answered("toolu_r1", [{ type: "tool_reference", tool_name: "weather_now" }]),
      assistant(weather),
      answered("toolu_r2", "Sunny."),
      assistant(done),
    ],
  },
  {
    feature: "tool options",
    name: "are fields of the tool's definition",
    documented: documentation("agents-and-tools/tool-use/fine-grained-tool-streaming"),
    model: MODEL,
    agent: agentWith({}, [
      sum({
        ...{ strict: true, eager_input_streaming: true, input_examples: [{ a: 1, b: 2 }] },
        ...{ allowed_callers: ["direct"], cache_control: { type: "ephemeral" } },
      }),
    ]),
    replies: [recorded([use("toolu_o1", "add", { a: 1, b: 2 })]), recorded([text("3")])],
    requested: {
      tools: [
        {
          input_schema: {
            ...{ type: "object", required: ["a", "b"], additionalProperties: false },
            properties: { a: { type: "number" }, b: { type: "number" } },
          },
          ...{ name: "add", strict: true, eager_input_streaming: true, input_examples: [{ a: 1, b: 2 }] },
          ...{ allowed_callers: ["direct"], cache_control: { type: "ephemeral" } },
        },
      ],
    },
    outcome: { status: "completed", output: "3" },
    ran: [["add", { a: 1, b: 2 }]],
  },
];
