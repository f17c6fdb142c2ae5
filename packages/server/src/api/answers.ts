import * as z from "zod";

const time = z.iso.datetime();
export const anything = z.looseObject({});
const turnState = z.enum(["running", "waiting", "ended"]);

const tool = z.object({
  name: z.string(),
  description: z.string(),
  runs: z.enum(["server", "client"]).describe("Who runs it."),
  approval: z.boolean().describe("Whether calls may wait for an approval."),
});

export const agentList = z.object({
  agents: z.array(z.object({ name: z.string(), tools: z.array(tool) })),
  defaultAgent: z.string(),
});

const interruption = z.looseObject({
  type: z.enum(["approval", "client_tool"]),
  toolCallId: z.string(),
  toolName: z.string(),
  args: z.unknown(),
  arguments: z.string(),
  agentName: z.string(),
  approvalId: z.string().optional(),
  expiresAt: time.optional(),
});

const message = z.looseObject({ role: z.string(), content: z.unknown() });

export const turnAnswer = z.object({
  conversationId: z.string(),
  turnId: z.string(),
  status: z.enum(["completed", "interrupted", "stopped", "error"]),
  text: z.string().describe("Of the last reply."),
  messages: z.array(message).describe("The replies."),
  interruptions: z.array(interruption),
  output: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
  version: z.int().optional(),
  usage: anything.optional(),
  spent: anything.optional(),
});

export const conversationPage = z.object({
  conversations: z.array(
    z.object({
      conversationId: z.string(),
      title: z.string().nullable(),
      createdAt: time,
      lastActivity: time,
      messages: z.int().describe("How many it has."),
      version: z.int(),
      turn: z.object({ turnId: z.string(), state: turnState }).optional(),
    }),
  ),
  nextCursor: z.string().optional(),
});

export const conversationAnswer = z.object({
  conversationId: z.string(),
  title: z.string().nullable(),
  createdAt: time,
  lastActivity: time,
  version: z.int(),
  messages: z.array(z.object({ position: z.int(), message })),
  earlier: z.boolean().describe("Whether there are messages before the first of these."),
  turn: z.object({ turnId: z.string(), state: turnState, events: z.int() }).optional(),
});

export const deletedCount = z.object({ deleted: z.int() });
export const deletedOne = z.object({ deleted: z.literal(true) });
export const renamed = z.object({ title: z.string() });
export const copied = z.object({ conversationId: z.string() });
export const stopping = z.object({ stopping: z.boolean() });

export const turnEvents = z.object({
  turnId: z.string(),
  state: turnState,
  events: z.array(z.object({ number: z.int(), event: z.looseObject({ type: z.string() }) })),
});

export const turnList = z.object({
  turns: z.array(
    z.object({ turnId: z.string(), state: turnState, startedAt: time, record: anything.optional() }),
  ),
});

export const pendingApprovals = z.object({
  approvals: z.array(
    z.object({
      conversationId: z.string(),
      title: z.string().nullable(),
      turnId: z.string(),
      interruption,
    }),
  ),
});

export const uiMessages = z.object({
  messages: z.array(
    z.looseObject({
      id: z.string(),
      role: z.enum(["system", "user", "assistant"]),
      parts: z.array(z.looseObject({ type: z.string() })),
    }),
  ),
});

const fact = z.looseObject({ id: z.string(), fact: z.string(), status: z.string() });
export const factList = z.object({ facts: z.array(fact) });
export const factAnswer = z.object({ fact });
export const reviewAnswer = z.union([factAnswer, z.object({ rejected: z.literal(true) })]);
export const factReceipt = z.looseObject({ receiptId: z.string(), facts: z.int() });
export const factExplained = z.object({ explanation: anything });

const health = z.object({ healthy: z.boolean(), latencyMs: z.number().describe("In milliseconds.") });
export const serverHealth = z.object({ status: z.literal("ok") });
export const memoryHealth = z.object({
  healthy: z.boolean(),
  store: health,
  turnLog: health,
  userMemory: health.optional(),
  runningTurns: z.int().describe("In the process that answers."),
});
export const memoryStats = z.object({
  totalConversations: z.int(),
  totalMessages: z.int(),
  oldestConversation: time.optional(),
  newestConversation: time.optional(),
});

export const failureAnswer = z.object({
  success: z.literal(false),
  error: z.object({
    code: z.string(),
    message: z.string(),
    requestId: z.string(),
    retryable: z.boolean(),
    conversationId: z.string().optional(),
    turnId: z.string().optional(),
  }),
});
