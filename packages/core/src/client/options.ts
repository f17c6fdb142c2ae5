import type { ApprovalDecision, ContinuationRejectionCode, Message, RunId, TraceId } from "@jaf/memory";
import { ContinuationValidationError, parseApprovalDecision, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { MaybeConversational } from "../agent.ts";
import { toolPartsSchema, type UserMessage, type UserPart, userPartsSchema } from "../content-parts.ts";
import { storableMessage } from "../immutable/messages.ts";
import type { ClientToolResult } from "../interruption.ts";
import { functionSchema } from "../middleware.ts";
import { type CacheableConfig, cacheSchema } from "../model/model-config.ts";
import type { Resume, RunConfig } from "../run-config.ts";
import { parseRemembers, type RemembersSpec } from "../user-memory.ts";
import { idSchema, type ParsedConversational, parseConversational } from "./conversation.ts";

/**
 * The input of a prompt: a text, the parts of one message (e.g. a text and an image), or messages of the user. `[]`: no new
 * input.
 */
export type PromptInput = string | readonly UserPart[] | readonly (Message | UserMessage)[];

/** The options of one prompt. */
export interface PromptOptions<Ctx> {
  /**
   * The user and the conversation. Takes precedence over the agent's `conversational`, but not over `forUser` and `continue`.
   * `false`: nothing is stored. If the field is present with the value `undefined`, e.g. from a session without a user, it
   * means no user, and `continue` rejects.
   */
  readonly conversation?: MaybeConversational;
  /**
   * The conversation that a client sent back, e.g. with the result of a tool that it ran. You don't have to check it: it is
   * compared with the stored conversation and never replaces it; see `RunConfig.resume`. `undefined`: the client sent none. For
   * a stateless prompt, it is the history and is trusted.
   */
  readonly messages?: readonly Message[] | undefined;
  /**
   * The token from `PromptResult.historyToken`, in place of the history. Then `messages` has only the client's additions. You
   * don't have to check it.
   */
  readonly historyToken?: string | undefined;
  /**
   * Validates `messages` against the stored conversation; see `RunConfig.validate`. A new conversation, which has no id yet,
   * counts as empty. Default: the client's.
   */
  readonly validate?: RunConfig<Ctx>["validate"] | undefined;
  /** Decisions about calls that wait for an approval; see `approve` and `reject`. */
  readonly approvals?: readonly ApprovalDecision[] | undefined;
  /** The results of calls that the client has run. */
  readonly toolResults?: readonly ClientToolResult[] | undefined;
  /**
   * The user memory settings. Takes precedence over the agent's `remembers`. `false`: no facts are recalled or stored. Its user
   * is independent of the conversation's user.
   */
  readonly memory?: RemembersSpec | false | undefined;
  /**
   * The parts of the prompt that the model provider can cache for later calls; `false`: none. A provider without a prompt cache
   * ignores it; see `RunConfig.cache`.
   */
  readonly cache?: CacheableConfig | false | undefined;
  /** Replaces the client's context. */
  readonly context?: Readonly<Ctx> | undefined;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
  /** Observes this run, in addition to the client's observer. */
  readonly onEvent?: RunConfig<Ctx>["onEvent"] | undefined;
  /** The run's trace id. Default: a new one. */
  readonly traceId?: TraceId | undefined;
  /**
   * The run's id. Default: a new one. For stateless prompts, approvals are bound to the run's id: pass the same id again with
   * them.
   */
  readonly runId?: RunId | undefined;
}

const optionsSchema = z.strictObject({
  conversation: z.unknown().optional(),
  // These come from an application's client, e.g. a browser. Invalid values aren't a bug in the program.
  messages: z.unknown().optional(),
  historyToken: z.unknown().optional(),
  approvals: z.unknown().optional(),
  toolResults: z.unknown().optional(),
  validate: functionSchema.optional(),
  memory: z.unknown().optional(),
  cache: cacheSchema.optional(),
  context: z.unknown().optional(),
  signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
  onEvent: functionSchema.optional(),
  traceId: idSchema.optional(),
  runId: z.string().min(1).optional(),
});

/** Checks the options. Throws a `TypeError` that names the invalid fields. */
export function checkOptions<Ctx>(options: PromptOptions<Ctx>): void {
  parseOptions(optionsSchema, options, "prompt options");
  parseRemembers(options.memory, "memory option");
}

/** Returns whether the prompt has a history that a client sent back, decisions, or results of a client's tools. */
export const isContinuation = <Ctx>({
  messages,
  historyToken,
  approvals = [],
  toolResults = [],
}: PromptOptions<Ctx>): boolean =>
  messages !== undefined || historyToken !== undefined || approvals.length > 0 || toolResults.length > 0;

/** Returns the conversation in the options; `undefined` if there is none, so the agent's declaration applies. */
export function conversationOptionOf<Ctx>({
  conversation,
}: PromptOptions<Ctx>): ParsedConversational | undefined {
  return conversation === undefined ? undefined : parseConversational(conversation, "conversation option");
}

/** Returns whether the prompt has a field for client input, even if its value is `undefined`. */
export const hasClientFields = <Ctx>(options: PromptOptions<Ctx>): boolean =>
  "messages" in options || "historyToken" in options || "approvals" in options || "toolResults" in options;

const contentSchema = z.unknown().superRefine((content, context) => {
  const parsed = Array.isArray(content) ? userPartsSchema.safeParse(content) : undefined;
  for (const { path, message } of parsed?.error?.issues ?? []) {
    context.addIssue({ code: "custom", path, message });
  }
});

const messagesSchema = z.array(
  z.looseObject({
    role: z.literal("user", { error: 'expected "user"; pass a history as options.messages' }),
    content: contentSchema,
  }),
);

/** Parts have a type, messages have a role. */
const isPart = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "type" in item && !("role" in item);

const isParts = (input: Exclude<PromptInput, string>): input is readonly UserPart[] =>
  Array.isArray(input) && input.length > 0 && input.every(isPart);

function ownInput(input: Exclude<PromptInput, string>): readonly Message[] {
  if (isParts(input)) {
    parseOptions(userPartsSchema, input, "prompt input");
    return [ownUserMessage({ role: "user", content: input }, "")];
  }
  parseOptions(messagesSchema, input, "prompt input");
  return input.map((message, index) => ownUserMessage(message, `[${index}].`));
}

/** Returns a copy of the message. `where`: its path in the input. */
function ownUserMessage(message: Message | UserMessage, where: string): Message {
  const storable = storableMessage(message);
  if (storable.ok) return storable.message;
  throw new TypeError(`Invalid prompt input: ${where}${storable.problem}.`);
}

/**
 * Returns the input as messages of the user. Throws a `TypeError` for input of other roles or types and for an empty text, and
 * a `ContinuationValidationError` for an empty request of a client.
 */
export function inputMessages<Ctx>(input: PromptInput, options: PromptOptions<Ctx>): readonly Message[] {
  if (typeof input !== "string") return ownInput(input);
  if (input !== "") return [Object.freeze({ role: "user", content: input })];
  const { messages, historyToken, approvals, toolResults } = options;
  if (
    messages !== undefined ||
    historyToken !== undefined ||
    approvals !== undefined ||
    toolResults !== undefined
  )
    return [];
  if (hasClientFields(options)) throw nothingSent();
  throw new TypeError("Invalid prompt input: expected a text; pass [] to continue the stored conversation.");
}

const toolResultSchema = z.object({
  toolCallId: z.string(),
  result: z.union([z.string(), z.looseObject({ status: z.string() }), toolPartsSchema]),
});

/** Decisions about waiting calls, and results of client tools. */
type GivenByClient = Pick<Resume, "approvals" | "toolResults">;

interface SentByClient {
  readonly approvals?: unknown;
  readonly toolResults?: unknown;
}

/**
 * Parses decisions and results from a client. Throws a `ContinuationValidationError` if they aren't lists of decisions and
 * results.
 */
export function parseDecisions({ approvals, toolResults }: SentByClient): GivenByClient {
  return {
    ...(approvals === undefined ? {} : { approvals: parseApprovals(approvals) }),
    ...(toolResults === undefined ? {} : { toolResults: parseToolResults(toolResults) }),
  };
}

function parseApprovals(approvals: unknown): readonly ApprovalDecision[] {
  const decisions = Array.isArray(approvals) ? approvals.map(parseApprovalDecision) : undefined;
  const bad = decisions?.indexOf(undefined) ?? -1;
  if (decisions !== undefined && bad === -1) return decisions as readonly ApprovalDecision[];
  const reason =
    "the approvals are not a list of decisions; each has toolCallId, approvalId, approved and an optional reason";
  throw malformed("malformed-approval", reason, bad);
}

function parseToolResults(toolResults: unknown): readonly ClientToolResult[] {
  const parsed = z.array(toolResultSchema).safeParse(toolResults);
  if (parsed.success) return parsed.data as readonly ClientToolResult[];
  const reason = "the tool results are not a list of results; each has toolCallId and result";
  const [index] = parsed.error.issues[0]?.path ?? [];
  throw malformed("malformed-message", reason, typeof index === "number" ? index : -1);
}

/** Returns the error for an empty request. */
export const nothingSent = (): ContinuationValidationError =>
  malformed(
    "malformed-message",
    "there is no message, no approval and no tool result; send at least one",
    -1,
  );

/** Returns the error for messages that aren't a list. */
export const noMessages = (): ContinuationValidationError =>
  malformed("malformed-message", "the messages are not a list of messages", -1);

/** Returns the error for a message with a role that only the application can use, e.g. `system`. */
export const forbiddenRole = (index: number): ContinuationValidationError =>
  malformed("forbidden-role", "a message has a role other than user, assistant and tool", index);

/** `index`: the position in the list; -1 if no single message is wrong. */
const malformed = (
  code: ContinuationRejectionCode,
  reason: string,
  index: number,
): ContinuationValidationError =>
  new ContinuationValidationError({ ok: false, code, reason, ...(index === -1 ? {} : { index }) });
