import type { ConversationSource, ConversationWrite, WriteOutcome } from "@jaf/memory/adapter";
import { toMetadataTexts } from "./metadata.ts";
import { statementName } from "./prepared.ts";
import { qualifiedName, type ResolvedNames } from "./schema/names.ts";
import type { SqlRow, SqlValue, Statement } from "./sql-client.ts";
import { EARLIEST_MS } from "./statements.ts";

// The arguments of the function that does a whole write, in its order: `migrations/0002_write_function.sql` says what
// they are.
const ARGUMENTS = [
  ["conversation_id", "text"],
  ["replace", "boolean"],
  ["bodies", "text[]"],
  ["tool_results", "boolean[]"],
  ["drop_last", "bigint"],
  ["user_id", "text"],
  ["trace_id", "text"],
  ["metadata", "text::jsonb"],
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

type Arguments = Readonly<Record<(typeof ARGUMENTS)[number][0], SqlValue>>;

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

/** What few writes say, as an object; `null`: nothing of it. */
function toMore({ messages, source }: ConversationWrite, exact: object | undefined): object | null {
  const own = messages.some((message) => message.own !== undefined);
  if (!own && source === undefined && exact === undefined) return null;
  return {
    exact_metadata: exact,
    source: source && toSource(source),
    ...(own
      ? {
          message_ids: messages.map((message) => message.own?.id ?? null),
          message_hashes: messages.map((message) => message.own?.hash ?? null),
        }
      : {}),
  };
}

function toExpectation({ expectedIncarnation: expected }: ConversationWrite) {
  if (expected === undefined) return { incarnation: null, tombstones: null };
  return "present" in expected
    ? { incarnation: expected.present, tombstones: null }
    : { incarnation: null, tombstones: [expected.absent.conversation, expected.absent.user] };
}

/** By name, but for the metadata and what few writes say: those are JSON text for the one call, and values for the other. */
function toArguments(write: ConversationWrite, exact: object | undefined) {
  const expected = toExpectation(write);
  return {
    conversation_id: write.conversationId,
    bodies: write.messages.map(({ body }) => body),
    tool_results: write.messages.map(({ isToolResult }) => isToolResult),
    drop_last: write.dropLast ?? 0,
    user_id: write.userId ?? null,
    trace_id: write.traceId ?? null,
    expected_version: write.expectedVersion ?? null,
    expected_metadata_version: write.expectedMetadataVersion ?? null,
    expected_incarnation: expected.incarnation,
    expected_tombstones: expected.tombstones,
    incarnation: write.create?.incarnation ?? null,
    key: write.idempotency?.key ?? null,
    body_hash: write.idempotency?.bodyHash ?? null,
    max_messages: write.maxMessages ?? null,
    ttl_seconds: write.ttlSeconds ?? null,
    more: toMore(write, exact),
  };
}

/** The call of the function that does a whole write. */
export function createWriteCall(names: ResolvedNames): (write: ConversationWrite) => Statement {
  const parameters = ARGUMENTS.map(([, type], index) => `$${index + 1}::${type}`).join(", ");
  const text = `SELECT ${qualifiedName(names, "_write")}(${parameters}) AS outcome`;
  const name = statementName(text);
  return (write) => {
    const { shown, exact } = toMetadataTexts(write.metadata);
    const { more, ...rest } = toArguments(write, exact);
    const given: Arguments = {
      ...rest,
      replace: write.mode === "replace",
      metadata: shown,
      more: more && JSON.stringify(more),
    };
    return { name, text, values: ARGUMENTS.map(([argument]) => given[argument]), writes: true };
  };
}

/** An append as the function takes it that does several; `undefined` for a replacement. */
export function packWrite(write: ConversationWrite): string | undefined {
  if (write.mode !== "append") return undefined;
  const { shown, exact } = toMetadataTexts(write.metadata);
  const rest = JSON.stringify(toArguments(write, exact));
  return `{"metadata":${shown},${rest.slice(1)}`;
}

export function toWriteOutcome({ outcome }: SqlRow): WriteOutcome {
  const [status, actualVersion] = outcome?.split(" ") ?? [];
  switch (status) {
    case "written":
    case "replayed":
    case "missing":
      return { status };
    case "version":
    case "metadata-version":
      return { status: "conflict", reason: status, actualVersion: Number(actualVersion) };
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
