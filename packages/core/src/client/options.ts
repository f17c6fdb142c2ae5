import type { ApprovalDecision, ContinuationRejectionCode, Message, RunId, TraceId } from "@jaf/memory";
import { ContinuationValidationError, parseApprovalDecision, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { MaybeConversational } from "../agent.ts";
import { toolPartsSchema, type UserMessage, type UserPart, userPartsSchema } from "../content-parts.ts";
import { ownMessage, storableMessage } from "../immutable/messages.ts";
import type { ClientToolResult } from "../interruption.ts";
import { functionSchema } from "../middleware.ts";
import { type CacheableConfig, cacheSchema } from "../model/model-config.ts";
import type { Resume, RunConfig } from "../run-config.ts";
import { parseRemembers, type RemembersSpec } from "../user-memory.ts";
import { idSchema, type ParsedConversational, parseConversational } from "./conversation.ts";

/**
 * The input of a prompt: a text, the parts of one message, e.g. a text and an image, or messages of the user. `[]`: nothing new.
 */
export type PromptInput = string | readonly UserPart[] | readonly (Message | UserMessage)[];

/** The options of one prompt. */
export interface PromptOptions<Ctx> {
  /**
   * Takes precedence over the agent's `conversational`; `forUser` and `continue` take precedence over this. `false`: nothing is
   * stored. If the field is present with the value `undefined`, e.g. from a session without a user, it means nobody, and
   * `continue` is refused.
   */
  readonly conversation?: MaybeConversational;
  /**
   * The conversation as a client sent it back, e.g. with the result of a tool that it ran. It is compared with the stored
   * conversation and never replaces it; see `RunConfig.resume`. It needn't be checked before. `undefined`: the client sent
   * none. Where nothing is stored, it is the history and is trusted.
   */
  readonly messages?: readonly Message[] | undefined;
  /**
   * The token from `PromptResult.historyToken`, in place of the history: then `messages` are only what the client adds. It
   * needn't be checked before.
   */
  readonly historyToken?: string | undefined;
  /**
   * Validates `messages` against the stored conversation; see `RunConfig.validate`. For a new conversation, which has no id
   * yet, it validates them against an empty one. Default: the client's.
   */
  readonly validate?: RunConfig<Ctx>["validate"] | undefined;
  /** Decisions about calls that wait for an approval; see `approve` and `reject`. */
  readonly approvals?: readonly ApprovalDecision[] | undefined;
  /** The results of calls that the client has run. */
  readonly toolResults?: readonly ClientToolResult[] | undefined;
  /**
   * Which user's facts the agent knows, and whether it learns new ones. Takes precedence over the agent's `remembers`. `false`:
   * nothing is recalled or remembered. It is independent of the conversation's user.
   */
  readonly memory?: RemembersSpec | false | undefined;
  /**
   * Which parts of the prompt the model provider may cache for later calls; `false`: none. A provider without a prompt cache
   * ignores it; see `RunConfig.cache`.
   */
  readonly cache?: CacheableConfig | false | undefined;
  /** Replaces the client's context. */
  readonly context?: Readonly<Ctx> | undefined;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
  /** Observes this run, in addition to the client's observer. */
  readonly onEvent?: RunConfig<Ctx>["onEvent"] | undefined;
  /** Default: a new one. */
  readonly traceId?: TraceId | undefined;
  /** Default: a new one. Where nothing is stored, approvals are bound to the run's id: pass the same id again with them. */
  readonly runId?: RunId | undefined;
}

const optionsSchema = z.strictObject({
  conversation: z.unknown().optional(),
  // These come from an application's client, e.g. a browser: invalid values are no error of the program.
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

/** Throws a `TypeError` that names the field. */
export function checkOptions<Ctx>(options: PromptOptions<Ctx>): void {
  parseOptions(optionsSchema, options, "prompt options");
  parseRemembers(options.memory, "memory option");
}

/** Whether the prompt continues something: it has a history that a client sent back, decisions, or results of a client's tools. */
export const isContinuation = <Ctx>({
  messages,
  historyToken,
  approvals = [],
  toolResults = [],
}: PromptOptions<Ctx>): boolean =>
  messages !== undefined || historyToken !== undefined || approvals.length > 0 || toolResults.length > 0;

/** The conversation that the options name; `undefined`: none, so the agent's declaration counts. */
export function conversationOptionOf<Ctx>({
  conversation,
}: PromptOptions<Ctx>): ParsedConversational | undefined {
  return conversation === undefined ? undefined : parseConversational(conversation, "conversation option");
}

/** Whether the prompt has a field for what a client sent, even if its value is `undefined`. */
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
    role: z.literal("user", { error: 'expected "user"; a history is given as options.messages' }),
    content: contentSchema,
  }),
);

/** A part has a type, and a message a role. */
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
  return input.map((message, index) =>
    isText(message) ? ownMessage(message) : ownUserMessage(message, `[${index}].`),
  );
}

/** Anything but a list of parts is checked with the messages. */
const isText = (message: Message | UserMessage): message is Message => !Array.isArray(message.content);

/** `where`: the path of the message in the input. */
function ownUserMessage(message: UserMessage, where: string): Message {
  const storable = storableMessage(message);
  if (storable.ok) return storable.message;
  throw new TypeError(`Invalid prompt input: ${where}${storable.problem}.`);
}

/**
 * The input as messages of the user. Throws a `TypeError` for input of other roles or types and for an empty text, and
 * `ContinuationValidationError` for an empty request of a client.
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
  throw new TypeError("Invalid prompt input: expected a text; [] goes on with what is stored.");
}

const toolResultSchema = z.object({
  toolCallId: z.string(),
  result: z.union([z.string(), z.looseObject({ status: z.string() }), toolPartsSchema]),
});

/** What was decided about waiting calls. */
type GivenByClient = Pick<Resume, "approvals" | "toolResults">;

interface SentByClient {
  readonly approvals?: unknown;
  readonly toolResults?: unknown;
}

/** They come from a browser: throws `ContinuationValidationError` for what is no list of decisions or of results. */
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
    "the approvals are not a list of decisions; each has toolCallId, approvalId, approved and maybe reason";
  throw malformed("malformed-approval", reason, bad);
}

function parseToolResults(toolResults: unknown): readonly ClientToolResult[] {
  const parsed = z.array(toolResultSchema).safeParse(toolResults);
  if (parsed.success) return parsed.data as readonly ClientToolResult[];
  const reason = "the tool results are not a list of results; each has toolCallId and result";
  const [index] = parsed.error.issues[0]?.path ?? [];
  throw malformed("malformed-message", reason, typeof index === "number" ? index : -1);
}

/** The refusal of a request that asks for nothing. */
export const nothingSent = (): ContinuationValidationError =>
  malformed(
    "malformed-message",
    "there is no message, no approval and no tool result, so nothing to go on with",
    -1,
  );

/** The refusal of messages that are no list. */
export const noMessages = (): ContinuationValidationError =>
  malformed("malformed-message", "the messages are not a list of messages", -1);

/** The refusal of a message with a role of the application, e.g. `system`. */
export const forbiddenRole = (index: number): ContinuationValidationError =>
  malformed("forbidden-role", "a message has a role other than user, assistant and tool", index);

/** `index`: which of the list; -1: it is none. */
const malformed = (
  code: ContinuationRejectionCode,
  reason: string,
  index: number,
): ContinuationValidationError =>
  new ContinuationValidationError({ ok: false, code, reason, ...(index === -1 ? {} : { index }) });
