import type { Json, Recording } from "../recording.ts";
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

const SEARCH = { type: "web_search_20250305", name: "web_search", max_uses: 3 };
const FETCH = { type: "web_fetch_20250910", name: "web_fetch", citations: { enabled: true } };
const ADVISOR = { type: "advisor_20260301", name: "advisor", model: "claude-opus-5-5" };
const CODE = { type: "code_execution_20250825", name: "code_execution" };

const page = (url: string, title: string) => ({
  ...{ type: "web_search_result", url, title, encrypted_content: `b3BhcXVl-${title}`, page_age: null },
});

const quoted = (url: string, title: string) => ({
  ...{ type: "web_search_result_location", url, title, encrypted_index: `aW5kZXg-${title}` },
  cited_text: "Mars has two moons.",
});

const A = "https://a.example/mars";
const B = "https://b.example/moons";

const searched = [
  text("Let me look. "),
  serverUse("srvtoolu_s1", "web_search", { query: "moons of Mars" }),
  found("web_search", "srvtoolu_s1", [
    page(A, "Mars"),
    page(B, "Moons"),
    page("https://c.example/", "Unused"),
  ]),
  text("Mars has "),
  text("two moons", [quoted(A, "Mars"), quoted(B, "Moons")]),
  text(": "),
  text("Phobos and Deimos", [quoted(A, "Mars")]),
];

const fetched = [
  serverUse("srvtoolu_f1", "web_fetch", { url: A }),
  found("web_fetch", "srvtoolu_f1", {
    ...{ type: "web_fetch_result", url: A, retrieved_at: "2026-11-01T00:00:00Z" },
    content: {
      ...{ type: "document", title: "All about Mars", citations: { enabled: true } },
      source: { type: "text", media_type: "text/plain", data: "Mars has two moons." },
    },
  }),
  text("It has two.", [
    {
      ...{ type: "char_location", document_index: 0, document_title: "All about Mars" },
      ...{ start_char_index: 0, end_char_index: 19, cited_text: "Mars has two moons." },
    },
  ]),
];

const fetchedPage = (id: string, url: string) => [
  serverUse(id, "web_fetch", { url }),
  found("web_fetch", id, {
    ...{ type: "web_fetch_result", url, retrieved_at: "2026-11-01T00:00:00Z" },
    content: {
      ...{ type: "document", title: "Moons", citations: { enabled: true } },
      source: { type: "text", media_type: "text/plain", data: "Mars has two moons." },
    },
  }),
];
const quotedPage = (document_index: number) => ({
  ...{ type: "char_location", document_index, document_title: "Moons" },
  ...{ start_char_index: 0, end_char_index: 19, cited_text: "Mars has two moons." },
});
const namesakes = [
  ...[...fetchedPage("srvtoolu_n1", A), ...fetchedPage("srvtoolu_n2", B)],
  ...[text("Two", [quotedPage(0)]), text(", really", [quotedPage(1)])],
];

const ran = [
  serverUse("srvtoolu_c1", "bash_code_execution", { command: "ls" }),
  found("bash_code_execution", "srvtoolu_c1", {
    ...{ type: "bash_code_execution_result", stdout: "a.csv\n", stderr: "", return_code: 0 },
    content: [{ type: "bash_code_execution_output", file_id: "file_1" }],
  }),
  serverUse("srvtoolu_c2", "text_editor_code_execution", { command: "view", path: "a.csv" }),
  found("text_editor_code_execution", "srvtoolu_c2", {
    ...{ type: "text_editor_code_execution_view_result", file_type: "text", content: "1,2" },
    ...{ num_lines: 1, start_line: 1, total_lines: 1 },
  }),
  serverUse("srvtoolu_c3", "code_execution", { code: "print(1 / 0)" }),
  found("code_execution", "srvtoolu_c3", {
    ...{ type: "code_execution_tool_result_error", error_code: "unavailable" },
  }),
  { type: "container_upload", file_id: "file_2" },
  text("The file has one row."),
];

const toolFound = [
  text("I look for a tool."),
  serverUse("srvtoolu_t1", "tool_search_tool_regex", { pattern: "weather" }),
  found("tool_search", "srvtoolu_t1", {
    type: "tool_search_tool_search_result",
    tool_references: [{ type: "tool_reference", tool_name: "get_weather" }],
  }),
  use("toolu_t2", "get_weather", { city: "Pune" }),
];

const remote = [
  {
    type: "mcp_tool_listing",
    mcp_server_name: "shop",
    tools: [{ name: "find", input_schema: { type: "object" } }],
  },
  use("mcptoolu_1", "find", { query: "lamp" }, { type: "mcp_tool_use", server_name: "shop" }),
  { ...found("mcp", "mcptoolu_1", [{ type: "text", text: "A lamp, 12 €" }]), is_error: false },
  text("There is a lamp."),
];

const advised = [
  serverUse("srvtoolu_a1", "advisor", {}),
  found("advisor", "srvtoolu_a1", {
    ...{ type: "advisor_redacted_result", encrypted_content: "YWR2aWNl", stop_reason: "end_turn" },
  }),
  text("Done."),
];

const besideCall = [
  serverUse("srvtoolu_d1", "web_search", { query: "Pune" }),
  use("toolu_d2", "get_weather", { city: "Pune" }),
];
const laterFound = [found("web_search", "srvtoolu_d1", [page(A, "Pune")]), text("Sunny.")];

const failed = [
  serverUse("srvtoolu_e1", "web_search", { query: "Mars" }),
  found("web_search", "srvtoolu_e1", {
    ...{ type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
  }),
  text("I can't search any more."),
];

const invalid = [
  serverUse("srvtoolu_i1", "web_search", {}),
  found("web_search", "srvtoolu_i1", {
    ...{ type: "web_search_tool_result_error", error_code: "invalid_tool_input" },
  }),
  text("I can't search."),
];
const { whole: invalidWhole, events: invalidEvents } = recorded(invalid);
const isInput = (event: unknown): boolean =>
  (event as { readonly delta?: Json }).delta?.["type"] === "input_json_delta";

export const serverTools: readonly Recording[] = [
  {
    feature: "web search",
    name: "cites two of three pages",
    documented: documentation("agents-and-tools/tool-use/web-search-tool"),
    model: MODEL,
    agent: agentWith({ tools: [SEARCH] }),
    replies: [
      recorded(searched, {
        usage: {
          ...{
            input_tokens: 6039,
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 0,
            output_tokens: 931,
          },
          server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
          service_tier: "standard",
        },
      }),
    ],
    requested: { tools: [SEARCH] },
    outcome: { status: "completed", output: "Let me look. \nMars has two moons: Phobos and Deimos" },
    kept: [
      {
        content: [
          { type: "text", text: "Let me look. " },
          {
            type: "provider-tool-call",
            id: "srvtoolu_s1",
            name: "web_search",
            input: { query: "moons of Mars" },
          },
          { type: "provider-tool-result", id: "srvtoolu_s1", name: "web_search" },
          { type: "text", text: "Mars has two moons: Phobos and Deimos" },
          {
            ...{ type: "source", id: "source-1", sourceType: "url", url: A, title: "Mars" },
            ranges: [
              { start: 9, end: 18 },
              { start: 20, end: 37 },
            ],
          },
          {
            ...{ type: "source", id: "source-2", sourceType: "url", url: B, title: "Moons" },
            ranges: [{ start: 9, end: 18 }],
          },
        ],
        providerMetadata: {
          anthropic: {
            usage: {
              server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
              service_tier: "standard",
            },
          },
        },
      },
    ],
    sentBack: [assistant(...searched)],
    usage: [{ inputTokens: 6039, outputTokens: 931, cachedInputTokens: 0, cacheWriteTokens: 0 }],
  },
  {
    feature: "web search",
    name: "fails",
    documented: documentation("agents-and-tools/tool-use/web-search-tool"),
    model: MODEL,
    agent: agentWith({ tools: [SEARCH] }),
    replies: [recorded(failed)],
    outcome: { status: "completed", output: "I can't search any more." },
    kept: [{ content: [{}, { type: "provider-tool-result", isError: true }, {}] as never }],
    sentBack: [assistant(...failed)],
  },
  {
    feature: "web search",
    name: "fails, because its input isn't JSON",
    documented: documentation("agents-and-tools/tool-use/web-search-tool"),
    model: MODEL,
    agent: agentWith({ tools: [SEARCH] }),
    replies: [
      {
        whole: invalidWhole,
        events: invalidEvents.map((event) =>
          isInput(event)
            ? { ...(event as Json), delta: { type: "input_json_delta", partial_json: '{"query": "Mars' } }
            : event,
        ),
      },
    ],
    outcome: { status: "completed", output: "I can't search." },
    sentBack: [assistant(...invalid)],
  },
  {
    feature: "advisor",
    name: "is asked without an input",
    documented: documentation("agents-and-tools/tool-use/advisor-tool"),
    model: MODEL,
    agent: agentWith({ tools: [ADVISOR] }),
    replies: [
      recorded([{ ...advised[0], type: "server_tool_use", input: null }], { stop_reason: "pause_turn" }),
      recorded(advised.slice(1)),
    ],
    outcome: { status: "completed", output: "Done." },
    sentBack: [assistant(...advised)],
  },
  {
    feature: "web fetch",
    name: "cites the fetched page",
    documented: documentation("agents-and-tools/tool-use/web-fetch-tool"),
    model: MODEL,
    agent: agentWith({ tools: [FETCH] }),
    replies: [recorded(fetched)],
    requested: { tools: [FETCH] },
    outcome: { status: "completed", output: "It has two." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", name: "web_fetch" },
          { type: "provider-tool-result", name: "web_fetch" },
          { type: "text", text: "It has two." },
          {
            ...{ type: "source", sourceType: "url", url: A, title: "All about Mars" },
            ranges: [{ start: 0, end: 11 }],
          },
        ],
      },
    ],
    sentBack: [assistant(...fetched)],
  },
  {
    feature: "web fetch",
    name: "cites two pages of the same title",
    documented: documentation("agents-and-tools/tool-use/web-fetch-tool"),
    model: MODEL,
    agent: agentWith({ tools: [FETCH] }),
    replies: [recorded(namesakes)],
    outcome: { status: "completed", output: "Two, really" },
    kept: [
      {
        content: [
          ...[{}, {}, {}, {}, { type: "text", text: "Two, really" }],
          { type: "source", url: A, title: "Moons", ranges: [{ start: 0, end: 3 }] },
          { type: "source", url: B, title: "Moons", ranges: [{ start: 3, end: 11 }] },
        ] as never,
      },
    ],
    sentBack: [assistant(...namesakes)],
  },
  {
    feature: "code execution",
    name: "runs bash, edits a file and fails once",
    documented: documentation("agents-and-tools/tool-use/code-execution-tool"),
    model: MODEL,
    agent: agentWith({ tools: [CODE] }),
    replies: [
      recorded(ran, { container: { id: "container_1", expires_at: "2026-12-01T00:00:00Z", skills: null } }),
    ],
    requested: { tools: [CODE] },
    outcome: { status: "completed", output: "The file has one row." },
    kept: [{ providerMetadata: { anthropic: { container: { id: "container_1" } } } }],
    sentBack: [assistant(...ran)],
  },
  {
    feature: "tool search",
    name: "finds a deferred tool and calls it",
    documented: documentation("agents-and-tools/tool-use/tool-search-tool"),
    model: MODEL,
    agent: agentWith(
      { tools: [{ type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" }] },
      [tool("get_weather", "Sunny.", { defer_loading: true })],
    ),
    replies: [recorded(toolFound), recorded([text("It is sunny.")])],
    requested: {
      tools: [{ name: "get_weather", defer_loading: true }, { type: "tool_search_tool_regex_20251119" }],
    },
    outcome: { status: "completed", output: "It is sunny." },
    ran: [["get_weather", { city: "Pune" }]],
    sentBack: [assistant(...toolFound), answered("toolu_t2", "Sunny."), assistant(text("It is sunny."))],
  },
  {
    feature: "MCP",
    name: "lists and calls a remote tool",
    documented: documentation("agents-and-tools/mcp-connector"),
    model: MODEL,
    agent: agentWith({
      mcp_servers: [{ type: "url", name: "shop", url: "https://shop.example/mcp" }],
      tools: [{ type: "mcp_toolset", mcp_server_name: "shop" }],
    }),
    replies: [recorded(remote)],
    requested: { mcp_servers: [{ name: "shop" }], tools: [{ type: "mcp_toolset" }] },
    outcome: { status: "completed", output: "There is a lamp." },
    kept: [
      {
        content: [
          { type: "mcp_tool_listing" },
          { type: "provider-tool-call", id: "mcptoolu_1", name: "find" },
          { type: "provider-tool-result", id: "mcptoolu_1", name: "find" },
          { type: "text" },
        ],
      },
    ],
    sentBack: [assistant(...remote)],
  },
  {
    feature: "advisor",
    name: "asks another model",
    documented: documentation("agents-and-tools/tool-use/advisor-tool"),
    model: MODEL,
    agent: agentWith({ tools: [ADVISOR] }),
    replies: [
      recorded(advised, {
        usage: {
          ...{
            input_tokens: 412,
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 0,
            output_tokens: 531,
          },
          iterations: [
            { type: "message", input_tokens: 412, output_tokens: 89 },
            { type: "advisor_message", model: "claude-opus-5-5", input_tokens: 823, output_tokens: 1612 },
            { type: "message", input_tokens: 1348, cache_read_input_tokens: 412, output_tokens: 442 },
          ],
        },
      }),
    ],
    outcome: { status: "completed", output: "Done." },
    sentBack: [assistant(...advised)],
    usage: [{ inputTokens: 2995, outputTokens: 2143, cachedInputTokens: 412, cacheWriteTokens: 0 }],
  },
  {
    feature: "web search",
    name: "searches after a call beside it is answered",
    documented: documentation("agents-and-tools/tool-use/server-tools"),
    model: MODEL,
    agent: agentWith({ tools: [SEARCH] }, [tool("get_weather", "Sunny.")]),
    replies: [recorded(besideCall), recorded(laterFound)],
    outcome: { status: "completed", output: "Sunny." },
    ran: [["get_weather", { city: "Pune" }]],
    sentBack: [assistant(...besideCall), answered("toolu_d2", "Sunny."), assistant(...laterFound)],
  },
];
