// The types of this package stand without the engine. They must fit the engine's own.
import type { Middleware, RunUserMemory, Tool } from "@jaf/core";
import { createMemoryTools, MemoryUserMemory, withMemoryInject } from "@jaf/user-memory";

interface Context {
  readonly userId: string;
}

export const memory: RunUserMemory = new MemoryUserMemory();
export const middleware: Middleware<Context> = withMemoryInject<Context>({ user: "u" });
export const tool: Tool<{ readonly query: string }, Context> = createMemoryTools<Context>({
  user: ({ userId }) => userId,
}).recall;
