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
 * The input of a prompt: a text, the content parts of one message (e.g. a text and an image), or user messages. `[]`:
 * the prompt has no new input.
 */
export type PromptInput = string | readonly UserPart[] | readonly (Message | UserMessage)[];

/** The options of one prompt. */
export interface PromptOptions<Ctx> {
  /**
   * The user and the conversation of the prompt. It takes precedence over the agent's `conversational`, and `forUser`
   * and `continue` take precedence over it.
   *
   * - `false` or `null`: the prompt has no user, so nothing is stored.
   * - Absent: the agent's `conversational` applies.
   * - `undefined` (e.g. from a session without a user): the agent's `conversational` applies. If the agent has none,
   *   the prompt has no user.
   *
   * A prompt without a user rejects if `continue` returned the agent client.
   */
  readonly conversation?: MaybeConversational;
  /**
   * The conversation that a client sent back (e.g. with the result of a tool that the client ran). You don't have to
   * check these messages, because the run compares them with the stored conversation; see `RunConfig.resume`. If the
   * prompt is stateless, these messages are the history and are trusted. `undefined`: the client sent no conversation.
   */
  readonly messages?: readonly Message[] | undefined;
  /**
   * The token from `PromptResult.historyToken`, which the client sends in place of the history. If it is set,
   * `messages` has only the client's additions. You don't have to check the token.
   */
  readonly historyToken?: string | undefined;
  /**
   * Validates `messages` against the stored conversation; see `RunConfig.validate`. For a new conversation, the stored
   * conversation counts as empty. Default: `AgentClientConfig.validate`.
   */
  readonly validate?: RunConfig<Ctx>["validate"] | undefined;
  /** Decisions about tool calls that wait for an approval; see `approve` and `reject`. `[]`: no decision. */
  readonly approvals?: readonly ApprovalDecision[] | undefined;
  /** The results of tool calls that the client has run. `[]`: no result. */
  readonly toolResults?: readonly ClientToolResult[] | undefined;
  /**
   * The user memory settings of the prompt, which replace the agent's `remembers`. Their user can differ from the
   * conversation's user. `false`: no facts are recalled or stored.
   */
  readonly memory?: RemembersSpec | false | undefined;
  /**
   * The parts of the prompt that the model provider can cache for later calls; see `RunConfig.cache`. `false`: nothing
   * is cached.
   */
  readonly cache?: CacheableConfig | false | undefined;
  /** The context of the run, in place of `AgentClientConfig.context`. */
  readonly context?: Readonly<Ctx> | undefined;
  /** Aborts the prompt's run. */
  readonly signal?: AbortSignal | undefined;
  /** Observes the events of this run, in addition to `AgentClientConfig.onEvent`. */
  readonly onEvent?: RunConfig<Ctx>["onEvent"] | undefined;
  /** The run's trace id. Default: a new id. */
  readonly traceId?: TraceId | undefined;
  /**
   * The run's id. Default: a new id. In a stateless prompt, pass approvals together with the id of the run that
   * requested them.
   */
  readonly runId?: RunId | undefined;
}

const optionsSchema = z.strictObject({
  conversation: z.unknown().optional(),
  // These values come from an application's client (e.g. a browser), so an invalid value isn't a bug in the program.
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

/** Checks a prompt's options. Throws a `TypeError` that names the invalid fields. */
export function checkOptions<Ctx>(options: PromptOptions<Ctx>): void {
  parseOptions(optionsSchema, options, "prompt options");
  parseRemembers(options.memory, "memory option");
}

/**
 * Returns whether the prompt has a history that a client sent back, decisions about tool calls, or results of client
 * tools.
 */
export const isContinuation = <Ctx>({
  messages,
  historyToken,
  approvals = [],
  toolResults = [],
}: PromptOptions<Ctx>): boolean =>
  messages !== undefined || historyToken !== undefined || approvals.length > 0 || toolResults.length > 0;

/** Returns the checked option `conversation`; `undefined` if the option is absent. */
export function conversationOptionOf<Ctx>({
  conversation,
}: Pick<PromptOptions<Ctx>, "conversation">): ParsedConversational | undefined {
  return conversation === undefined ? undefined : parseConversational(conversation, "conversation option");
}

/**
 * Returns whether the options have a field for a client's input (e.g. `approvals`), even with the value `undefined`.
 */
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

/** Returns whether an item of the input is a content part. Content parts have a `type`; messages have a `role`. */
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

/**
 * Returns a storable copy of the user's message. Throws a `TypeError` if a store can't hold the message. `where`: the
 * message's path in the input, for the error.
 */
function ownUserMessage(message: Message | UserMessage, where: string): Message {
  const storable = storableMessage(message);
  if (storable.ok) return storable.message;
  throw new TypeError(`Invalid prompt input: ${where}${storable.problem}.`);
}

/**
 * Returns the input as user messages. Throws a `TypeError` for messages of other roles and for invalid content.
 *
 * For an empty text, the options `messages`, `historyToken`, `approvals` and `toolResults` decide:
 *
 * - If one of these options has a value, returns `[]`.
 * - If they are present only with the value `undefined`, throws a `ContinuationValidationError`.
 * - If none is present, throws a `TypeError`.
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

/** Decisions about tool calls that wait, and results of tools that the client has run. */
type GivenByClient = Pick<Resume, "approvals" | "toolResults">;

interface SentByClient {
  readonly approvals?: unknown;
  readonly toolResults?: unknown;
}

/**
 * Checks the decisions and tool results that a client sent. Throws a `ContinuationValidationError` if a list is
 * malformed.
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

/** Returns the error for a client's request without messages, approvals and tool results. */
export const nothingSent = (): ContinuationValidationError =>
  malformed(
    "malformed-message",
    "there is no message, no approval and no tool result; send at least one",
    -1,
  );

/** Returns the error for messages that aren't a list of messages. */
export const noMessages = (): ContinuationValidationError =>
  malformed("malformed-message", "the messages are not a list of messages", -1);

/** Returns the error for a message with a role that only the application can use (e.g. `system`). */
export const forbiddenRole = (index: number): ContinuationValidationError =>
  malformed("forbidden-role", "a message has a role other than user, assistant and tool", index);

/** Returns the error for a malformed list. `index`: the index of the wrong item; -1: no single item is wrong. */
const malformed = (
  code: ContinuationRejectionCode,
  reason: string,
  index: number,
): ContinuationValidationError =>
  new ContinuationValidationError({ ok: false, code, reason, ...(index === -1 ? {} : { index }) });
