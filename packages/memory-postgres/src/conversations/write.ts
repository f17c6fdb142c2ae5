import type { WriteReceipt } from "@jaf/memory";
import {
  type ConversationSource,
  type ConversationWrite,
  createKeyedQueue,
  messageHash,
  type TurnBeginning,
  type WriteOutcome,
} from "@jaf/memory/adapter";
import { sql } from "drizzle-orm";
import { hasCode, type SqlClient } from "../client/clients.ts";
import type { SqlRow, SqlValue, Statement } from "../client/statement.ts";
import { EARLIEST_MS, only, reusable, statementName } from "../client/statements.ts";
import { qualifiedName, type ResolvedNames } from "../table-names.ts";
import type { TurnLogPlace } from "../turn-log/place.ts";
import { beginAfter } from "../turn-log/statements.ts";
import { toMetadataTexts } from "./metadata.ts";

// The arguments of the SQL function `<table>_write` with their types, in order: see `migrations/conversation-write.ts`.
// JSON is passed as text.
const ARGUMENTS = [
  ["conversation_id", "text"],
  ["replace", "boolean"],
  ["bodies", "text[]"],
  ["hashes", "text[]"],
  ["tool_results", "boolean[]"],
  ["drop_last", "bigint"],
  ["user_id", "text"],
  ["trace_id", "text"],
  ["metadata", "text::jsonb"],
  ["run_metadata", "text::jsonb"],
  ["expected_version", "bigint"],
  ["expected_metadata_version", "bigint"],
  ["expected_incarnation", "text"],
  ["expected_tombstones", "text[]"],
  ["incarnation", "text"],
  ["key", "text"],
  ["body_hash", "text"],
  ["max_messages", "bigint"],
  ["ttl_seconds", "bigint"],
  ["more", "text::jsonb"],
] as const;

const RARE = ARGUMENTS.length - 1;

const toMilliseconds = (date: Date): number => Math.max(date.getTime(), EARLIEST_MS);

const toSource = ({
  createdAt,
  lastActivity,
  version,
  metadataVersion,
  firstPosition,
  traceIds,
}: ConversationSource) => ({
  created_at: toMilliseconds(createdAt),
  last_activity: toMilliseconds(lastActivity),
  version,
  metadata_version: metadataVersion,
  first_position: firstPosition,
  trace_ids: traceIds,
});

/** Returns the arguments that few writes need as an object, or `null` if the write needs none of them. */
function toRareArguments(
  { messages, source, childOf }: ConversationWrite,
  exact: object | undefined,
): object | null {
  const own = messages.some((message) => message.own !== undefined);
  if (!own && source === undefined && childOf === undefined && exact === undefined) return null;
  return {
    exact_metadata: exact,
    source: source && toSource(source),
    parent_id: childOf?.conversationId,
    parent_incarnation: childOf?.incarnation,
    ...(own
      ? {
          message_ids: messages.map((message) => message.own?.id ?? null),
          message_hashes: messages.map((message) => message.own?.hash ?? null),
        }
      : {}),
  };
}

const NOTHING_EXPECTED = { incarnation: null, tombstones: null };

function toExpectation({ expectedIncarnation: expected }: ConversationWrite) {
  if (expected === undefined) return NOTHING_EXPECTED;
  return "present" in expected
    ? { incarnation: expected.present, tombstones: null }
    : { incarnation: null, tombstones: [expected.absent.conversation, expected.absent.user] };
}

/** Returns the values of the arguments of a write, in the order of {@link ARGUMENTS}. */
function toValues(write: ConversationWrite): readonly SqlValue[] {
  const { jsonb, run, exact } = toMetadataTexts(write.metadata);
  const rare = toRareArguments(write, exact);
  const expected = toExpectation(write);
  return [
    write.conversationId,
    write.mode === "replace",
    write.messages.map(({ body }) => body),
    write.messages.map(({ body }) => messageHash(body)),
    write.messages.map(({ isToolResult }) => isToolResult),
    write.dropLast ?? 0,
    write.userId ?? null,
    write.traceId ?? null,
    jsonb,
    run,
    write.expectedVersion ?? null,
    write.expectedMetadataVersion ?? null,
    expected.incarnation,
    expected.tombstones,
    write.create?.incarnation ?? null,
    write.idempotency?.key ?? null,
    write.idempotency?.bodyHash ?? null,
    write.maxMessages ?? null,
    write.ttlSeconds ?? null,
    rare && JSON.stringify(rare),
  ];
}

export interface WriteCall {
  readonly usual: (write: ConversationWrite) => Statement;
  /** The call to send after the usual call failed with {@link KEY_IS_KNOWN}. */
  readonly careful: (write: ConversationWrite) => Statement;
}

const argumentNames = ARGUMENTS.map(([name]) => name);

/**
 * Creates a statement that writes to a conversation and begins a turn, or does neither. `log`: the tables of the turn
 * log.
 */
function createTurnCall(names: ResolvedNames, log: ResolvedNames) {
  const given = ARGUMENTS.map(([name, type]) => sql`${sql.placeholder(name)}::${sql.raw(type)}`);
  const write = sql`SELECT ${sql.raw(qualifiedName(names, "_write"))}(${sql.join(given, sql`, `)}) AS outcome`;
  const statement = reusable<string>(beginAfter(log, write));
  return (conversationWrite: ConversationWrite, { turn, writer }: TurnBeginning): Statement => {
    const values = toValues(conversationWrite);
    const named = Object.fromEntries(argumentNames.map((name, at) => [name, values[at] ?? null]));
    return { ...statement({ ...named, ...turn, token: writer.token }), writes: true };
  };
}

/** The error codes of a write that begins a turn, if nothing was written. */
// In this order: a running turn or another refusal prevents the new turn, the idempotency key is known, or another turn
// took the turn id at the same time.
const NOT_BEGUN: ReadonlySet<unknown> = new Set(["22P02", "JF005", "23505"]);

/** The error code of the usual call if an earlier write had the same idempotency key. */
const KEY_IS_KNOWN: ReadonlySet<unknown> = new Set(["JF005"]);

/**
 * Creates the two ways to call the SQL function `<table>_write`. The usual call is faster, but fails if an earlier
 * write had the same idempotency key.
 */
function createWriteCall(names: ResolvedNames): WriteCall {
  const parameters = ARGUMENTS.map(([, type], index) => `$${index + 1}::${type}`).join(", ");
  const text = `SELECT ${qualifiedName(names, "_write")}(${parameters}) AS outcome`;
  const name = statementName(text);
  const call = (values: readonly SqlValue[]): Statement => ({ name, text, values, writes: true });
  return {
    usual: (write) => call(toValues(write)),
    careful: (write) => call(toValues(write).map((value, at) => (at === RARE ? (value ?? "{}") : value))),
  };
}

/** Converts the values after the word `written` in the result of the SQL function `<table>_write` into a receipt. */
const toReceipt = ([version, lastSeq, totalMessages, digest = "-"]: readonly string[]): WriteReceipt => ({
  nextPosition: Number(lastSeq),
  totalMessages: Number(totalMessages),
  version: Number(version),
  ...(digest === "-" ? {} : { historyDigest: digest }),
});

function toWriteOutcome({ outcome }: SqlRow): WriteOutcome {
  const [status, ...values] = outcome?.split(" ") ?? [];
  switch (status) {
    case "written":
      return { status, receipt: toReceipt(values) };
    case "replayed":
    case "missing":
      return { status };
    case "version":
    case "metadata-version":
      return { status: "conflict", reason: status, actualVersion: Number(values[0]) };
    case "owner":
    case "idempotency-key":
    case "incarnation":
    case "length":
    case "message-id":
      return { status: "conflict", reason: status };
    default:
      throw new TypeError("unknown outcome of a write");
  }
}

/**
 * Returns two functions: `write` writes to a conversation, and `written` waits until all earlier calls of `write` have
 * ended.
 */
export function createWriting(sqlClient: SqlClient, names: ResolvedNames, sweepExpired: () => Promise<void>) {
  const call = createWriteCall(names);
  // Only one write per conversation is sent at a time. This keeps the order of the writes, and a locked conversation
  // occupies only one connection of a pool. A single connection does this anyway.
  const queue = sqlClient.concurrent ? createKeyedQueue() : undefined;

  const turnCalls = new WeakMap<ResolvedNames, ReturnType<typeof createTurnCall>>();

  async function writeAndBegin(given: ConversationWrite, beginning: TurnBeginning): Promise<WriteOutcome> {
    const { names: log } = beginning.place as TurnLogPlace;
    const turnCall = turnCalls.get(log) ?? createTurnCall(names, log);
    turnCalls.set(log, turnCall);
    try {
      return toWriteOutcome(only(await sqlClient.query(turnCall(given, beginning))));
    } catch (thrown) {
      if (hasCode(thrown, NOT_BEGUN)) return { status: "turn" };
      throw thrown;
    }
  }

  async function write(given: ConversationWrite): Promise<WriteOutcome> {
    const { beginsTurn } = given;
    // An error of the usual call aborts the transaction, which may be the application's.
    const carefully = !sqlClient.autocommit && given.idempotency !== undefined;
    const task = async () => {
      if (beginsTurn !== undefined) return writeAndBegin(given, beginsTurn);
      try {
        return toWriteOutcome(
          only(await sqlClient.query(carefully ? call.careful(given) : call.usual(given))),
        );
      } catch (thrown) {
        if (carefully || !hasCode(thrown, KEY_IS_KNOWN)) throw thrown;
        return toWriteOutcome(only(await sqlClient.query(call.careful(given))));
      }
    };
    const outcome = await (queue === undefined ? task() : queue.run(given.conversationId, task));
    if (given.ttlSeconds !== undefined) await sweepExpired();
    return outcome;
  }

  return { write, written: async () => queue?.runAlone(async () => {}) };
}
