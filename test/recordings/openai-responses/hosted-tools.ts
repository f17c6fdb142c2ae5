import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Json, Recording } from "../recording.ts";
import { called, guide, openai, response, said, thought } from "./response.ts";

const fact = "🪶 Ostriches run 70 km/h (birds.example). They can't fly (birds.example).";

const cited = (start_index: number, end_index: number): Json => ({
  type: "url_citation",
  start_index,
  end_index,
  url: "https://birds.example/ostrich",
  title: "Ostriches",
});

const webSearch = {
  id: "ws_1",
  type: "web_search_call",
  status: "completed",
  action: {
    type: "search",
    query: "ostrich speed",
    queries: ["ostrich speed"],
    sources: [
      { type: "url", url: "https://birds.example/ostrich" },
      { type: "url", url: "https://fast.example" },
    ],
  },
};

const webAnswer = said(fact, { annotations: [cited(24, 39), cited(56, 71)] });

const comment = { ...said("I look it up."), id: "msg_comment", phase: "commentary" };

const foundPages = {
  type: "search_results",
  queries: ["ostrich speed"],
  results: [{ id: 1, url: "https://birds.example/ostrich", title: "Ostriches", snippet: "70 km/h" }],
};

const foundAnswer = said("They run. [web:1]", {
  annotations: [
    {
      type: "citation",
      start_index: 10,
      end_index: 17,
      url: "https://birds.example/ostrich",
      title: "Ostriches",
    },
  ],
});

const foundUsage = {
  input_tokens: 10,
  output_tokens: 5,
  total_tokens: 15,
  cost: { currency: "USD", input_cost: 0.1, output_cost: 0.2, total_cost: 0.3 },
};

const fileSearch = {
  id: "fs_1",
  type: "file_search_call",
  status: "completed",
  queries: ["holidays"],
  results: [{ file_id: "file_1", filename: "rules.pdf", score: 0.9, text: "30 days", attributes: {} }],
};

const fileAnswer = said("You have 30 days.", {
  annotations: [
    { type: "file_citation", index: 16, file_id: "file_1", filename: "rules.pdf" },
    { type: "file_citation", index: 16, file_id: "file_2", filename: "rules.pdf" },
  ],
});

const code = {
  id: "ci_1",
  type: "code_interpreter_call",
  status: "completed",
  container_id: "cntr_1",
  code: "print(1 + 1)",
  outputs: [{ type: "logs", logs: "2" }],
};

const codeAnswer = said("It is 2: sum.csv", {
  annotations: [
    {
      type: "container_file_citation",
      container_id: "cntr_1",
      file_id: "cfile_1",
      filename: "sum.csv",
      start_index: 9,
      end_index: 16,
    },
    { type: "file_path", file_id: "file_2", index: 0 },
  ],
});

const image = {
  id: "ig_1",
  type: "image_generation_call",
  status: "completed",
  action: "generate",
  output_format: "webp",
  revised_prompt: "A cat.",
  size: "1024x1024",
  result: "UklGRg==",
};

const hostedShell = {
  id: "sh_1",
  type: "shell_call",
  status: "completed",
  call_id: "call_1",
  action: { commands: ["python3 --version"], timeout_ms: null, max_output_length: null },
  environment: { type: "container_reference", container_id: "cntr_1" },
};

const hostedShellOutput = {
  id: "sho_1",
  type: "shell_call_output",
  status: "completed",
  call_id: "call_1",
  max_output_length: null,
  output: [{ stdout: "Python 3.12", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
};

const mcpTools = {
  id: "mcpl_1",
  type: "mcp_list_tools",
  server_label: "dice",
  tools: [{ name: "roll", description: "Rolls dice.", input_schema: { type: "object" }, annotations: null }],
};

const roll = {
  id: "mcp_1",
  type: "mcp_call",
  status: "completed",
  approval_request_id: null,
  server_label: "dice",
  name: "roll",
  arguments: '{"dice":"2d4"}',
  error: null,
  output: "5",
};

const approvalRequest = {
  id: "mcpr_1",
  type: "mcp_approval_request",
  server_label: "dice",
  name: "roll",
  arguments: '{"dice":"2d4"}',
};

const searchCall = {
  id: "tsc_1",
  type: "tool_search_call",
  status: "completed",
  execution: "server",
  call_id: null,
  arguments: { paths: ["orders"] },
};

const searchOutput = {
  id: "tso_1",
  type: "tool_search_output",
  status: "completed",
  execution: "server",
  call_id: null,
  tools: [{ type: "function", name: "list_orders", defer_loading: true, parameters: { type: "object" } }],
};

const secondSearch = { ...searchCall, id: "tsc_2" };
const thirdSearch = { ...searchCall, id: "tsc_3" };

const orders = createTool({
  name: "list_orders",
  description: "Lists the orders of a customer.",
  parameters: z.object({ customer: z.string() }),
  execute: async () => "None.",
});

const deferredOrders = { ...orders, providerOptions: { openai: { defer_loading: true } } };

const inNamespace = {
  type: "namespace",
  name: "crm",
  description: "Customers and orders.",
  tools: [{ type: "function", name: "list_orders", defer_loading: true, parameters: { type: "object" } }],
};

const program = {
  id: "prog_1",
  type: "program",
  call_id: "call_prog",
  code: "text((await tools.list_orders({ customer: 'c1' })).length)",
  fingerprint: "fp_program",
};

const byProgram = { caller: { type: "program", caller_id: "call_prog" } };

const programOutput = {
  id: "po_1",
  type: "program_output",
  call_id: "call_prog",
  status: "completed",
  result: "5",
};

const programmable = {
  ...orders,
  providerOptions: { openai: { allowed_callers: ["programmatic"], output_schema: { type: "string" } } },
};

/** A call that a gateway has answered itself. */
const answeredCall = called("call_gw", "fetch_page", { url: "https://a.example" });
const answeredOutput = {
  id: "fco_1",
  type: "function_call_output",
  status: "completed",
  call_id: "call_gw",
  output: "A page.",
};

const page = (id: number, url: string, further: Json = {}) => ({
  type: "source",
  id: `source-${id}`,
  sourceType: "url",
  url,
  ...further,
});

/** OpenAI's own tools, which it runs itself. */
export const hostedToolRecordings: readonly Recording[] = [
  {
    feature: "web search",
    name: "cites a page twice, and names the pages it has read",
    documented: guide("tools-web-search"),
    model: "gpt-5.1",
    agent: openai({ tools: [{ type: "web_search" }], include: ["web_search_call.action.sources"] }),
    replies: [
      response([thought("1"), webSearch, thought("2"), webAnswer], {
        tool_usage: { web_search: { num_requests: 1 } },
      }),
    ],
    requested: { tools: [{ type: "web_search" }], include: ["web_search_call.action.sources"] },
    outcome: { status: "completed", output: fact },
    kept: [
      {
        content: [
          { type: "reasoning" },
          { type: "provider-tool-call", id: "ws_1", name: "web_search", input: { action: webSearch.action } },
          { type: "provider-tool-result", id: "ws_1", name: "web_search", output: { status: "completed" } },
          page(1, "https://birds.example/ostrich"),
          page(2, "https://fast.example"),
          { type: "reasoning" },
          { type: "text", text: fact },
          page(1, "https://birds.example/ostrich", {
            title: "Ostriches",
            ranges: [
              { start: 25, end: 40 },
              { start: 57, end: 72 },
            ],
          }),
        ],
        providerMetadata: { openai: { tool_usage: { web_search: { num_requests: 1 } } } },
      },
    ],
    sentBack: [thought("1"), webSearch, thought("2"), webAnswer],
  },
  {
    feature: "structured output",
    name: "behind a comment and a search",
    documented: guide("latest-model"),
    model: "gpt-5.4",
    agent: { outputCodec: z.object({ speed: z.int() }), ...openai({ tools: [{ type: "web_search" }] }) },
    replies: [response([comment, webSearch, { ...said('{"speed":70}'), phase: "final_answer" }])],
    outcome: { status: "completed", output: { speed: 70 } },
  },
  {
    feature: "web search",
    name: "by Perplexity, whose results are items of their own",
    documented: "https://docs.perplexity.ai/api-reference/responses-post",
    service: "Perplexity",
    model: "openai/gpt-5.1",
    agent: openai({ tools: [{ type: "web_search" }] }),
    replies: [response([foundPages, foundAnswer], { usage: foundUsage })],
    outcome: { status: "completed", output: "They run. [web:1]" },
    kept: [
      {
        content: [
          { type: "search_results" },
          page(1, "https://birds.example/ostrich", { title: "Ostriches" }),
          { type: "text" },
          page(1, "https://birds.example/ostrich", { ranges: [{ start: 10, end: 17 }] }),
        ],
        providerMetadata: { openai: { usage: foundUsage } },
      },
    ],
    sentBack: [foundPages, foundAnswer],
    usage: [{ inputTokens: 10, outputTokens: 5, cost: 0.3 }],
  },
  {
    feature: "stop reasons",
    name: "no answer within the limit, behind a search",
    documented: guide("tools-web-search"),
    model: "gpt-5.1",
    agent: openai({ tools: [{ type: "web_search" }] }),
    replies: [
      response([thought("1"), webSearch, thought("2")], {
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
      }),
    ],
    outcome: { status: "error", error: { _tag: "ModelBehaviorError" }, says: "max_output_tokens" },
  },
  {
    feature: "file search",
    name: "cites two files of one name",
    documented: guide("tools-file-search"),
    model: "gpt-5.1",
    agent: openai({ tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }),
    replies: [response([fileSearch, fileAnswer])],
    requested: { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
    outcome: { status: "completed", output: "You have 30 days." },
    kept: [
      {
        content: [
          {
            type: "provider-tool-call",
            id: "fs_1",
            name: "file_search",
            input: { queries: ["holidays"] },
          },
          {
            type: "provider-tool-result",
            id: "fs_1",
            name: "file_search",
            output: { status: "completed", results: fileSearch.results },
          },
          { type: "text", text: "You have 30 days." },
          { type: "source", id: "source-1", sourceType: "document", filename: "rules.pdf" },
          { type: "source", id: "source-2", sourceType: "document", filename: "rules.pdf" },
        ],
      },
    ],
    sentBack: [fileSearch, fileAnswer],
  },
  {
    feature: "code execution",
    name: "cites a file of its container",
    documented: guide("tools-code-interpreter"),
    model: "gpt-5.1",
    agent: openai({ tools: [{ type: "code_interpreter", container: { type: "auto" } }] }),
    replies: [response([code, codeAnswer])],
    outcome: { status: "completed", output: "It is 2: sum.csv" },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "ci_1", name: "code_interpreter", input: { code: code.code } },
          { type: "provider-tool-result", id: "ci_1", output: { outputs: code.outputs } },
          { type: "text", text: "It is 2: sum.csv" },
          {
            type: "source",
            id: "source-1",
            sourceType: "document",
            filename: "sum.csv",
            ranges: [{ start: 9, end: 16 }],
          },
          { type: "source", id: "source-2", sourceType: "document", filename: "file_2" },
        ],
      },
    ],
    sentBack: [code, codeAnswer],
  },
  {
    feature: "image generation",
    name: "an image before the text",
    documented: guide("tools-image-generation"),
    model: "gpt-5.1",
    agent: openai({ tools: [{ type: "image_generation", output_format: "webp" }] }),
    replies: [response([image, said("A cat.")])],
    outcome: { status: "completed", output: "A cat." },
    kept: [{ content: [{ type: "media", mediaType: "image/webp", data: "UklGRg==" }, { type: "text" }] }],
    sentBack: [image, said("A cat.")],
  },
  {
    feature: "shell",
    name: "in OpenAI's container",
    documented: guide("tools-shell"),
    model: "gpt-5.1",
    agent: openai({ tools: [{ type: "shell", environment: { type: "container_auto" } }] }),
    replies: [response([hostedShell, hostedShellOutput, said("It is 3.12.")])],
    outcome: { status: "completed", output: "It is 3.12." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "sh_1", name: "shell", input: { action: hostedShell.action } },
          {
            type: "provider-tool-result",
            id: "sh_1",
            name: "shell",
            output: { output: hostedShellOutput.output },
          },
          { type: "text" },
        ],
      },
    ],
    sentBack: [hostedShell, hostedShellOutput, said("It is 3.12.")],
  },
  {
    feature: "MCP",
    name: "without an approval",
    documented: guide("tools-connectors-mcp"),
    model: "gpt-5.1",
    agent: openai({
      tools: [
        { type: "mcp", server_label: "dice", server_url: "https://dice.example", require_approval: "never" },
      ],
    }),
    replies: [response([mcpTools, roll, said("You rolled 5.")])],
    outcome: { status: "completed", output: "You rolled 5." },
    sentBack: [mcpTools, roll, said("You rolled 5.")],
  },
  {
    feature: "MCP with approval",
    name: "a call that needs an approval",
    documented: guide("tools-connectors-mcp"),
    model: "gpt-5.1",
    agent: openai({ tools: [{ type: "mcp", server_label: "dice", server_url: "https://dice.example" }] }),
    replies: [
      response([mcpTools, thought("1"), approvalRequest]),
      response([{ ...roll, approval_request_id: "mcpr_1" }, said("You rolled 5.")]),
    ],
    outcome: { status: "interrupted", waitsFor: ["dice.roll"] },
    kept: [
      {
        tool_calls: [
          {
            id: "mcpr_1",
            type: "function",
            providerExecuted: true,
            function: { name: "dice.roll", arguments: '{"dice":"2d4"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "mcpr_1" },
      { role: "assistant" },
    ],
    sentBack: [
      ...[mcpTools, thought("1"), approvalRequest],
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
      { ...roll, approval_request_id: "mcpr_1" },
      said("You rolled 5."),
    ],
  },
  {
    feature: "tool search",
    name: "by OpenAI, which loads a deferred function",
    documented: guide("tools-tool-search"),
    model: "gpt-5.4",
    agent: { tools: [deferredOrders], ...openai({ tools: [{ type: "tool_search" }] }) },
    replies: [
      response([searchCall, searchOutput, called("call_1", "list_orders", { customer: "c1" })]),
      response([said("No orders.")]),
    ],
    requested: { tools: [{ name: "list_orders", defer_loading: true }, { type: "tool_search" }] },
    outcome: { status: "completed", output: "No orders." },
    ran: [["list_orders", { customer: "c1" }]],
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "tsc_1", name: "tool_search" },
          { type: "provider-tool-result", id: "tsc_1", output: { tools: searchOutput.tools } },
          { type: "tool-call", id: "call_1" },
        ],
      },
      { role: "tool" },
      { role: "assistant" },
    ],
    sentBack: [
      ...[searchCall, searchOutput],
      called("call_1", "list_orders", { customer: "c1" }),
      { type: "function_call_output", call_id: "call_1", output: "None." },
      said("No orders."),
    ],
  },
  {
    feature: "tool search",
    name: "twice in one reply, without ids of the calls",
    documented: guide("tools-tool-search"),
    model: "gpt-5.4",
    agent: openai({ tools: [{ type: "tool_search" }] }),
    replies: [
      response([
        ...[searchCall, searchOutput],
        ...[secondSearch, thirdSearch, { ...searchOutput, id: "tso_2" }, { ...searchOutput, id: "tso_3" }],
        said("No orders."),
      ]),
    ],
    outcome: { status: "completed", output: "No orders." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "tsc_1" },
          { type: "provider-tool-result", id: "tsc_1" },
          { type: "provider-tool-call", id: "tsc_2" },
          { type: "provider-tool-call", id: "tsc_3" },
          { type: "provider-tool-result", id: "tsc_2" },
          { type: "provider-tool-result", id: "tsc_3" },
          { type: "text" },
        ],
      },
    ],
    sentBack: [
      ...[searchCall, searchOutput],
      ...[secondSearch, thirdSearch, { ...searchOutput, id: "tso_2" }, { ...searchOutput, id: "tso_3" }],
      said("No orders."),
    ],
  },
  {
    feature: "tool search",
    name: "a function in a namespace",
    documented: guide("tools-tool-search"),
    model: "gpt-5.4",
    agent: { tools: [orders], ...openai({ tools: [{ type: "tool_search" }, inNamespace] }) },
    replies: [
      response([called("call_1", "list_orders", { customer: "c1" }, { namespace: "crm" })]),
      response([said("No orders.")]),
    ],
    requested: { tools: [{ type: "tool_search" }, inNamespace] },
    outcome: { status: "completed", output: "No orders." },
    ran: [["list_orders", { customer: "c1" }]],
    sentBack: [
      called("call_1", "list_orders", { customer: "c1" }, { namespace: "crm" }),
      { type: "function_call_output", call_id: "call_1", output: "None." },
      said("No orders."),
    ],
  },
  {
    feature: "programmatic calls",
    name: "a program calls a function, and ends in the next reply",
    documented: guide("tools-programmatic-tool-calling"),
    model: "gpt-5.5",
    agent: { tools: [programmable], ...openai({ tools: [{ type: "programmatic_tool_calling" }] }) },
    replies: [
      response([thought("1"), program, called("call_1", "list_orders", { customer: "c1" }, byProgram)]),
      response([programOutput, said("Five letters.")]),
    ],
    requested: {
      tools: [
        { name: "list_orders", allowed_callers: ["programmatic"], output_schema: { type: "string" } },
        { type: "programmatic_tool_calling" },
      ],
    },
    outcome: { status: "completed", output: "Five letters." },
    kept: [
      {
        content: [
          { type: "reasoning" },
          { type: "provider-tool-call", id: "prog_1", name: "program" },
          { type: "tool-call", id: "call_1" },
        ],
      },
      { role: "tool" },
      { role: "assistant" },
    ],
    ran: [["list_orders", { customer: "c1" }]],
    sentBack: [
      ...[thought("1"), program],
      called("call_1", "list_orders", { customer: "c1" }, byProgram),
      { type: "function_call_output", call_id: "call_1", output: "None.", ...byProgram },
      ...[programOutput, said("Five letters.")],
    ],
  },
  {
    feature: "answered calls",
    name: "a function that a gateway runs itself",
    documented: "https://developers.openai.com/api/reference/resources/responses/methods/create",
    model: "gpt-5.1",
    replies: [response([answeredCall, answeredOutput, said("I have read it.")])],
    outcome: { status: "completed", output: "I have read it." },
    kept: [
      {
        content: [
          {
            type: "provider-tool-call",
            id: "fc_call_gw",
            name: "fetch_page",
            input: { url: "https://a.example" },
          },
          { type: "provider-tool-result", id: "fc_call_gw", output: { output: "A page." } },
          { type: "text", text: "I have read it." },
        ],
      },
    ],
    sentBack: [answeredCall, answeredOutput, said("I have read it.")],
  },
];
