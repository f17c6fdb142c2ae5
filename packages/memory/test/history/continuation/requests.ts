import { type ApprovalDecision, type Message, type RichMessage, sanitizeConversation } from "@jaf/memory";
import { pendingToolCalls } from "@jaf/memory/history";

export type Random = (below: number) => number;

/** A server's data about a conversation. */
export interface Stored {
  readonly persisted: readonly Message[];
  /** Messages that the store has dropped and a client may still have. */
  readonly forgotten: readonly Message[];
  readonly clientToolCallIds: readonly string[];
  readonly pendingApprovals: readonly { readonly toolCallId: string; readonly approvalId: string }[];
}

/** A client's request, in parts, so a forger can change each. */
export interface Request {
  readonly copy: readonly unknown[];
  readonly tail: readonly unknown[];
  readonly approvals: readonly unknown[];
}

const pick = <T>(items: readonly T[], random: Random): T => items[random(items.length)] as T;
const some = <T>(items: readonly T[], random: Random): readonly T[] => items.filter(() => random(2) === 0);

const image = { type: "media", mediaType: "image/png" };
const media = [
  { type: "text", text: "x", at: 1 },
  { ...image, data: new Uint8Array([1, 2, 3]) },
  { ...image, url: new URL("https://example.com/a.png") },
];

const user = (random: Random): Message =>
  pick(
    [text("user", random), { ...text("user", random), content: [pick(media, random)] }],
    random,
  ) as unknown as Message;

/** Fields that a model provider writes beside text and calls. */
const opaqueFields = [
  {},
  {},
  { origin: { provider: "p", api: "chat", model: "m" }, providerMetadata: { p: { a: 1 } } },
  { reasoning_content: "hm", reasoning_details: [{ data: "x" }], id: "msg_1" },
];

/** The content of a reply, as text or with reasoning, each part signed. */
function reply(said: string, random: Random): RichMessage["content"] {
  if (random(2) === 0) return said;
  const thoughts = Array.from({ length: random(3) }, (_, index) => ({
    type: "reasoning",
    text: pick(["hm", "ah"], random),
    signature: `s${index}`,
  }));
  return [...thoughts, { type: "text", text: said, providerMetadata: { p: { s: random(9) } } }];
}

const text = (role: Message["role"], random: Random) => ({
  role,
  content: pick(["yes", "no", "", "pay"], random),
});

const argumentTexts = [
  '{"to":"Ann","cents":100}',
  '{"list":[1,{"a":null,"b":2}],"__proto__":{"x":1}}',
  "",
  "{",
  "[]",
];

const caller = (ids: readonly string[], random: Random): Message =>
  ({
    role: "assistant",
    content: random(2) === 0 ? "" : reply("let me see", random),
    ...pick(opaqueFields, random),
    tool_calls: ids.map((id) => ({
      id,
      type: "function",
      function: { name: pick(["pay", "look"], random), arguments: pick(argumentTexts, random) },
      ...(random(3) === 0 ? { extra_content: { google: { thought_signature: id } } } : {}),
    })),
  }) as unknown as Message;

export const result = (id: string, content = `of ${id}`): Message => ({
  role: "tool",
  content,
  tool_call_id: id,
});

// Few ids, because providers use them again in later turns.
const callIds = (random: Random): readonly string[] =>
  some(["a", "b", "c", "d", "__proto__"], random).slice(0, 1 + random(3));

/** A turn as a store may contain it: results in any order, some lost, one repeated, an empty assistant message. */
function turn(random: Random): readonly Message[] {
  const ids = callIds(random);
  const results = ids.filter(() => random(8) > 0).map((id) => result(id));
  if (random(3) === 0) results.reverse();
  if (random(8) === 0) results.push(result(pick(["a", "z"], random), "stray"));
  const called = ids.length === 0 ? [] : [caller(ids, random), ...results];
  return [
    user(random),
    ...called,
    {
      role: "assistant",
      content: random(8) === 0 ? "" : reply(`done ${random(3)}`, random),
      ...pick(opaqueFields, random),
    } as unknown as Message,
  ];
}

function waitingTurn(random: Random): readonly Message[] {
  const ids = ["p", ...callIds(random)];
  const answered = ids.slice(1 + random(ids.length));
  return [user(random), caller(ids, random), ...answered.map((id) => result(id))];
}

export function storedConversation(random: Random): Stored {
  const turns = Array.from({ length: 1 + random(4) }, () => turn(random));
  const forgottenTurns = random(turns.length);
  const persisted = turns.slice(forgottenTurns).flat();
  if (random(4) > 0) persisted.push(...waitingTurn(random));
  const open = pendingToolCalls(persisted)?.missing.map(({ id }) => id) ?? [];
  const clientToolCallIds = some(open, random);
  const waiting = open.filter((id) => !clientToolCallIds.includes(id));
  const pendingApprovals = waiting.map((toolCallId) => ({ toolCallId, approvalId: `hash of ${toolCallId}` }));
  return { persisted, forgotten: turns.slice(0, forgottenTurns).flat(), clientToolCallIds, pendingApprovals };
}

/** The copies that a client may have: as stored, and as a run returns them. */
export function copiesOf({ persisted }: Stored): readonly (readonly Message[])[] {
  const end = pendingToolCalls(persisted)?.index ?? persisted.length;
  return [persisted, [...sanitizeConversation(persisted.slice(0, end)), ...persisted.slice(end)]];
}

export function honestRequest(stored: Stored, random: Random): Request {
  const { forgotten, clientToolCallIds, pendingApprovals } = stored;
  const copy = [...forgotten.slice(random(forgotten.length + 1)), ...pick(copiesOf(stored), random)];
  const results = some(clientToolCallIds, random).map((id) => result(id, "from the client"));
  const said = Array.from({ length: random(3) }, () => user(random));
  const approvals = some(pendingApprovals, random).map(
    (call): ApprovalDecision => ({
      ...call,
      approved: random(2) === 0,
      ...(random(2) === 0 ? { reason: "no" } : {}),
    }),
  );
  return { copy, tail: [...results, ...said], approvals };
}

/** The same message as another program writes it: keys, numbers, white space and absent fields differ. */
export function rewritten(message: Message, random: Random): unknown {
  const { content, tool_calls: calls, ...rest } = message;
  const fields: [string, unknown][] = Object.entries(rest);
  fields.push(["content", content === "" ? pick([null, ""], random) : reordered(content)]);
  if (calls !== undefined) {
    fields.push(["tool_calls", calls.map((call) => ({ ...call, function: respelt(call.function, random) }))]);
  } else if (random(2) === 0) fields.push(["tool_calls", pick([null, undefined, []], random)]);
  if (random(2) === 0) fields.unshift(["name", undefined]);
  return Object.fromEntries(random(2) === 0 ? fields.reverse() : fields);
}

/** The message as kept by a client that only keeps what it displays. */
export function shown(message: Message, random: Random): Message {
  const { origin, providerMetadata, reasoning_content, reasoning_details, id, ...rest } =
    message as RichMessage;
  const { content, tool_calls: calls } = rest;
  const kept = Array.isArray(content)
    ? content
        .filter(({ type }) => type !== "reasoning" || random(2) === 0)
        .map(({ signature: _, providerMetadata: __, ...part }) => part)
    : content;
  const called = calls?.map((call) => (random(2) === 0 ? call : { ...call, extra_content: undefined }));
  return { ...rest, content: kept, ...(calls === undefined ? {} : { tool_calls: called }) } as Message;
}

function respelt(called: { readonly name: string; readonly arguments: string }, random: Random): object {
  const { name, arguments: text } = called;
  if (text === "" || text === "{" || random(2) === 0) return { arguments: text, name };
  const spelt = JSON.stringify(reordered(JSON.parse(text)), null, 2).replaceAll(/\b(\d+)\b(?!")/g, "$1.0");
  return { arguments: spelt, name };
}

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (value instanceof URL) return value.href;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reordered(field)]),
  );
}
