/** The pages of `docs`: which package carries each, and when to read it. */

export interface Page {
  /** In `docs`. */
  readonly file: string;
  /** The folder in `packages` of the package that carries it, or "repository" for a page that stays in the repository. */
  readonly home: string;
  /** What a reader wants to do who needs it. Completes "Read it to …". */
  readonly to: string;
}

/** In reading order. */
export const PAGES: readonly Page[] = [
  {
    file: "agent-client.md",
    home: "core",
    to: "prompt an agent, stream its reply, continue a user's conversation, and handle approvals",
  },
  {
    file: "models.md",
    home: "core",
    to: "configure OpenAI, Anthropic, Gemini or another model, use its built-in tools and prompt caching, or write a model provider",
  },
  {
    file: "turns.md",
    home: "core",
    to: "ask a human before a tool runs, run a tool in the browser, recover from a crash, handle two runs at once, read events",
  },
  {
    file: "context.md",
    home: "core",
    to: "limit the history that the model sees, with a window or a running summary",
  },
  { file: "mcp.md", home: "mcp", to: "give an agent the tools of MCP servers, safely" },
  { file: "agents-as-tools.md", home: "core", to: "let an agent ask other agents" },
  { file: "cost.md", home: "core", to: "count tokens and cost, and stop a run at a budget" },
  { file: "glossary.md", home: "core", to: "look up a term" },
  {
    file: "architecture.md",
    home: "core",
    to: "see which package depends on which, and how the parts fit together",
  },
  {
    file: "telemetry.md",
    home: "otel",
    to: "see runs, model calls, tools and memory in a tracing or metrics backend, by OpenTelemetry",
  },
  {
    file: "conversation-stores.md",
    home: "memory",
    to: "store, list, title and delete whole chats, or keep them in tables of your own",
  },
  {
    file: "windows.md",
    home: "memory",
    to: "cut a history to a number of messages or tokens, outside of a run too",
  },
  {
    file: "continuations.md",
    home: "memory",
    to: "take a history back from a browser and check that it was not changed",
  },
  {
    file: "memory-alone.md",
    home: "memory",
    to: "use the memory with an engine of your own, or with none",
  },
  {
    file: "frameworks.md",
    home: "memory",
    to: "use the memory under the AI SDK, OpenAI Agents, LangGraph or the Claude Agent SDK, and see what crosses over",
  },
  { file: "media.md", home: "memory", to: "store images, sounds and files beside their messages" },
  {
    file: "outages.md",
    home: "memory",
    to: "know what happens when a store is down, slow or full, and configure a fallback",
  },
  { file: "digests.md", home: "memory", to: "find out whether stored messages were changed from outside" },
  { file: "edge.md", home: "memory", to: "run in a browser, Cloudflare Workers, Deno or Bun" },
  { file: "memory-exports.md", home: "memory", to: "find an export of `@jaf/memory` by task" },
  { file: "adding-a-provider.md", home: "memory", to: "write or wrap a storage backend, and test it" },
  {
    file: "user-memory.md",
    home: "user-memory",
    to: "have an agent remember facts about a user across conversations, review and forget them",
  },
  { file: "recall.md", home: "user-memory", to: "know how facts and messages are found, and add embeddings" },
  {
    file: "server.md",
    home: "server",
    to: "serve agents over HTTP, with authentication and resumable streams",
  },
  {
    file: "deployment.md",
    home: "server",
    to: "deploy agents with Docker Compose, Next.js or Cloudflare Workers, from an example",
  },
  {
    file: "upgrades.md",
    home: "server",
    to: "deploy a new release while turns run, and know what a process does with newer data",
  },
  {
    file: "queues.md",
    home: "server",
    to: "run turns in worker processes, on BullMQ, pg-boss, Temporal, Inngest, DBOS or Restate",
  },
  { file: "server-ai-sdk.md", home: "server", to: "use the AI SDK's `useChat` with the server" },
  { file: "benchmarks.md", home: "repository", to: "see what was measured" },
];
