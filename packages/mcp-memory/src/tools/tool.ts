import { MemoryCallError, type MemoryProvider } from "@jaf/memory";
import { UserMemoryError, type UserMemoryErrorCode, type UserMemoryStore } from "@jaf/user-memory";
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from "@modelcontextprotocol/server";
import type * as z from "zod";

/** What the tools of one server work with. */
export interface ToolScope {
  readonly server: McpServer;
  readonly memory: UserMemoryStore;
  readonly provider: MemoryProvider;
  /** The user of the credential. No tool takes a user as an argument. */
  readonly userId: string;
  /** Called with errors that the model isn't told about in detail. */
  readonly onError: (error: unknown) => void;
}

type ToolResult = CallToolResult | InputRequiredResult;

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly hints: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  readonly call: (args: z.output<Input>, context: ServerContext) => Promise<ToolResult>;
}

/** Adds a tool to the server. Errors of `call` become results with `isError`, each with a remedy. */
export function addTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  { server, onError }: ToolScope,
  { name, title, description, input, output, hints, call }: ToolDefinition<Input, Output>,
): void {
  server.registerTool(
    name,
    {
      ...{ title, description, inputSchema: input as z.ZodObject, outputSchema: output as z.ZodObject },
      annotations: { title, ...hints, openWorldHint: false },
    },
    async (args, context) => {
      try {
        return await call(args as z.output<Input>, context);
      } catch (thrown) {
        return refused(remedyOf(thrown, onError));
      }
    },
  );
}

/** A result with a text for the model and the same as structured content. */
export const answered = (text: string, structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent,
});

/** A result that tells the model what was refused and what to do instead. */
export const refused = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
});

/** What each error of user memory means for the model. `null`: the store's own message says it. */
const REMEDIES: Readonly<Record<UserMemoryErrorCode, string | null>> = {
  invalid: null,
  erased:
    "Nothing was written: the user's memory was erased in the meantime. Remember only what the user says now.",
  forgotten: "Not remembered: the user had this forgotten or rejected it. Only the user can bring it back.",
  full: "Nothing was stored: the user's memory is full. Ask the user to review the facts that wait (tool review) or to forget some (tools list and forget).",
  busy: "Nothing was written: other writes were faster. Call the tool again.",
  unavailable: "The memory can't be reached now. Go on without it, and try again later.",
  storage: "The memory's database reported an error. Go on without it, and tell the user.",
  embedding: "The memory's database reported an error. Go on without it, and tell the user.",
};

function remedyOf(thrown: unknown, onError: (error: unknown) => void): string {
  if (thrown instanceof UserMemoryError) {
    if (!["invalid", "forgotten", "erased", "full"].includes(thrown.code)) onError(thrown);
    return REMEDIES[thrown.code] ?? thrown.message;
  }
  onError(thrown);
  if (thrown instanceof MemoryCallError) return thrown.memoryError.message;
  return "The tool failed. Go on without the memory, and tell the user to look at the server's log.";
}
