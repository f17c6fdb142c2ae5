import type { ApprovalDecision, Message, RunId, TraceId } from "@jaf/memory";
import { lazy, parseOptions } from "@jaf/memory/engine";
import * as z from "zod";
import type { RunConfig } from "../config.ts";
import { ownMessage } from "../immutable/messages.ts";
import { storableMessage } from "../immutable/storable.ts";
import type { ClientToolResult } from "../interruption/interruption.ts";
import type { RemembersSpec } from "../middleware/user-memory/remembers.ts";
import { parseRemembers } from "../middleware/user-memory/spec.ts";
import { type CacheableConfig, cacheSchema } from "../model/cache.ts";
import { type UserMessage, type UserPart, userPartsSchema } from "../user-message.ts";
import {
  idSchema,
  type MaybeConversational,
  type ParsedConversational,
  parseConversational,
} from "./conversational.ts";
import { nothingSent } from "./decisions.ts";

/**
 * What a prompt says: a text, the parts of one message, e.g. a text and an image, or messages of the user. `[]`: nothing new.
 */
export type PromptInput = string | readonly UserPart[] | readonly (Message | UserMessage)[];

/** What holds for one prompt. */
export interface PromptOptions<Ctx> {
  /**
   * Outranks the agent's `conversational`; `forUser` and `continue` outrank this. `false`: nothing is stored. To leave
   * `continue` to the server, leave it out: a session without a user is nobody, also as `undefined`.
   */
  readonly conversation?: MaybeConversational;
  /**
   * The conversation as a client sent it back, e.g. with the result of a tool that it ran. It is compared with what is
   * stored and never used in its place; see `RunConfig.continuation`. Nothing of it need be checked before; `undefined`
   * is what a client sends that sends none. Where nothing is stored it is the history, and trusted.
   */
  readonly messages?: readonly Message[] | undefined;
  /**
   * What stands for the history, as `PromptResult.historyToken` gave it out: then `messages` are only what the client adds.
   * Nothing of it need be checked before.
   */
  readonly historyToken?: string | undefined;
  /**
   * Judges `messages` where there is a stored conversation; see `RunConfig.validate`. Before a new one is made, which has
   * no id yet, it judges them against no messages at all. Default: the client's.
   */
  readonly validate?: RunConfig<Ctx>["validate"] | undefined;
  /** Decisions about calls that wait; see `approve` and `reject`. */
  readonly approvals?: readonly ApprovalDecision[] | undefined;
  /** The results of calls that waited for the client to make them. */
  readonly toolResults?: readonly ClientToolResult[] | undefined;
  /**
   * Which user's facts the agent knows, and whether it learns new ones. Outranks the agent's `remembers`. `false`: nothing
   * is recalled and nothing is remembered. Whose conversation it is has no say in it.
   */
  readonly memory?: RemembersSpec | false | undefined;
  /**
   * Which parts of the prompt the model provider may keep for later calls; `false`: none. A provider that doesn't know of it
   * ignores it; see `RunConfig.cache`.
   */
  readonly cache?: CacheableConfig | false | undefined;
  /** In place of the client's. */
  readonly context?: Readonly<Ctx> | undefined;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
  /** Observes this run, beside the client's observer. */
  readonly onEvent?: RunConfig<Ctx>["onEvent"] | undefined;
  /** Default: a new one. */
  readonly traceId?: TraceId | undefined;
  /** Default: a new one. Approvals that an unstored run asked for are bound to its id: give it again. */
  readonly runId?: RunId | undefined;
}

const callback = lazy(() =>
  z.custom<unknown>((value) => typeof value === "function", { error: "expected a function" }),
);

const optionsSchema = lazy(() =>
  z.strictObject({
    conversation: z.unknown().optional(),
    // These come from the client of the client: what is wrong with them is no fault of the program's.
    messages: z.unknown().optional(),
    historyToken: z.unknown().optional(),
    approvals: z.unknown().optional(),
    toolResults: z.unknown().optional(),
    validate: callback().optional(),
    memory: z.unknown().optional(),
    cache: cacheSchema().optional(),
    context: z.unknown().optional(),
    signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
    onEvent: callback().optional(),
    traceId: idSchema().optional(),
    runId: z.string().min(1).optional(),
  }),
);

/** Throws a `TypeError` that names the field. */
export function checkOptions<Ctx>(options: PromptOptions<Ctx>): void {
  parseOptions(optionsSchema(), options, "prompt options");
  parseRemembers(options.memory, "memory option");
}

/**
 * Whether the prompt goes on with what was before: with a history that a client sent back, with decisions or with results
 * of a client's tools.
 */
export const isContinuation = <Ctx>({
  messages,
  historyToken,
  approvals = [],
  toolResults = [],
}: PromptOptions<Ctx>): boolean =>
  messages !== undefined || historyToken !== undefined || approvals.length > 0 || toolResults.length > 0;

/** What the options say of the conversation; `undefined`: nothing, so the agent's declaration counts. */
export function spokenOf<Ctx>({ conversation }: PromptOptions<Ctx>): ParsedConversational | undefined {
  return conversation === undefined ? undefined : parseConversational(conversation, "conversation option");
}

/** Whether the prompt passes on what a client sent, even if that was nothing. */
export const isPassedOn = <Ctx>(options: PromptOptions<Ctx>): boolean =>
  "messages" in options || "historyToken" in options || "approvals" in options || "toolResults" in options;

const contentSchema = lazy(() =>
  z.unknown().superRefine((content, context) => {
    const parsed = Array.isArray(content) ? userPartsSchema().safeParse(content) : undefined;
    for (const { path, message } of parsed?.error?.issues ?? []) {
      context.addIssue({ code: "custom", path, message });
    }
  }),
);

const messagesSchema = lazy(() =>
  z.array(
    z.looseObject({
      role: z.literal("user", { error: 'expected "user"; a history is given as options.messages' }),
      content: contentSchema(),
    }),
  ),
);

/** A part has a type, and a message a role. */
const isPart = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "type" in item && !("role" in item);

const isParts = (input: Exclude<PromptInput, string>): input is readonly UserPart[] =>
  Array.isArray(input) && input.length > 0 && input.every(isPart);

function ownInput(input: Exclude<PromptInput, string>): readonly Message[] {
  if (isParts(input)) {
    parseOptions(userPartsSchema(), input, "prompt input");
    return [ownSaid({ role: "user", content: input }, "")];
  }
  parseOptions(messagesSchema(), input, "prompt input");
  return input.map((message, index) =>
    isText(message) ? ownMessage(message) : ownSaid(message, `[${index}].`),
  );
}

/** Whatever is no list of parts is left to whoever checks messages. */
const isText = (message: Message | UserMessage): message is Message => !Array.isArray(message.content);

/** `where`: the path of the message in what was given. */
function ownSaid(message: UserMessage, where: string): Message {
  const storable = storableMessage(message);
  if (storable.ok) return storable.message;
  throw new TypeError(`Invalid prompt input: ${where}${storable.problem}.`);
}

/**
 * As messages of the run's own. Throws a `TypeError` for what no user can say and for an empty text, and
 * `ContinuationValidationError` for a request of a client's that is empty.
 */
export function saidBy<Ctx>(input: PromptInput, options: PromptOptions<Ctx>): readonly Message[] {
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
  if (isPassedOn(options)) throw nothingSent();
  throw new TypeError("Invalid prompt input: expected a text; [] goes on with what is stored.");
}
