import type { Json, RecordedReply, Recording } from "../../../../test/recordings/recording.ts";
import { below, pick, type Random } from "../random.ts";
import type { ApiName } from "./all.ts";

/** Random changes of recorded replies. */

export type Change = (random: Random, recording: Recording, apiName: ApiName) => Recording;

/** Changes one reply. */
const changing =
  (change: (random: Random, reply: RecordedReply, apiName: ApiName) => RecordedReply): Change =>
  (random, recording, apiName) => {
    const place = below(random, recording.replies.length);
    const replies = recording.replies.map((reply, at) =>
      at === place ? change(random, reply, apiName) : reply,
    );
    return { ...recording, replies };
  };

/** Changes one value in the reply, and one in an event. */
const changingValue = (change: (random: Random, at: Place, places: readonly Place[]) => void): Change =>
  changing((random, reply) => {
    const [whole, events] = [copy(reply.whole), copy(reply.events)];
    for (const places of [placesIn(whole), placesIn(events)])
      if (places.length > 0) change(random, pick(random, places), places);
    return { whole, events };
  });

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** A field of an object, or an item of a list. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.entries(holder).flatMap(([key, inner]) => [{ holder, key }, ...placesIn(inner)]);
}

const OTHER_VALUES: readonly unknown[] = [0, -1, 1e21, "", "x", "{", true, [], [null], {}, { type: "x" }];

/** Changes after which a reply can be anything: JAF may refuse it. */
export const BREAKING: Readonly<Record<string, Change>> = {
  "drops a field": changingValue((_, { holder, key }) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }),
  "nulls a field": changingValue((_, { holder, key }) => {
    holder[key] = null;
  }),
  "has another value": changingValue((random, { holder, key }) => {
    holder[key] = copy(pick(random, OTHER_VALUES));
  }),
  "repeats an id": changingValue((random, _, places) => {
    const ids = places.filter(({ holder, key }) => /id$/i.test(key) && typeof holder[key] === "string");
    if (ids.length === 0) return;
    const [one, other] = [pick(random, ids), pick(random, ids)];
    one.holder[one.key] = other.holder[other.key];
  }),
  "repeats an event": changing((random, { whole, events }) => {
    const at = below(random, events.length);
    return { whole, events: [...events.slice(0, at + 1), ...events.slice(at)] };
  }),
  "swaps events": changing((random, { whole, events }) => {
    const at = below(random, events.length);
    const [one, other, ...rest] = events.slice(at);
    if (one === undefined || other === undefined) return { whole, events };
    return { whole, events: [...events.slice(0, at), other, one, ...rest] };
  }),
  "has an unknown item": changing((random, reply, apiName) => withItem(random, reply, apiName)),
};

/** An item that no version of JAF knows, in each API. */
const ITEMS: Readonly<Record<ApiName, Json>> = {
  "openai-chat": { type: "hologram", hologram: { beam: "b" } },
  "openai-responses": { id: "hg_1", type: "hologram", beam: "b" },
  anthropic: { type: "hologram", beam: "b" },
  google: { hologram: { beam: "b" } },
};

const LISTS: Readonly<Record<ApiName, string>> = {
  "openai-chat": "tool_calls",
  "openai-responses": "output",
  anthropic: "content",
  google: "parts",
};

function withItem(random: Random, reply: RecordedReply, apiName: ApiName): RecordedReply {
  const whole = copy(reply.whole);
  for (const { holder, key } of placesIn(whole)) {
    const list = holder[key];
    if (key !== LISTS[apiName] || !Array.isArray(list)) continue;
    list.splice(below(random, list.length + 1), 0, ITEMS[apiName]);
    break;
  }
  return { ...reply, whole };
}

const PIECES = /^(?:text|delta|content|reasoning_content|reasoning|thinking|partial_json|arguments|refusal)$/;

/** Changes after which a stream is still the same reply. */
export const HARMLESS: Readonly<Record<string, Change>> = {
  "splits a piece": changing((random, { whole, events }) => {
    const able = events.flatMap((event, at) =>
      piecesIn(event).length > 0 && !repeatsAll(event, events.slice(0, at)) ? [at] : [],
    );
    if (able.length === 0) return { whole, events };
    const at = pick(random, able);
    const [one, other] = [copy(events[at]), copy(events[at])];
    const [a, b] = [piecesIn(one)[0], piecesIn(other)[0]];
    if (a === undefined || b === undefined) return { whole, events };
    const text = textOf(a);
    const cut = 1 + below(random, text.length - 1);
    a.holder[a.key] = text.slice(0, cut);
    b.holder[b.key] = text.slice(cut);
    return { whole, events: [...events.slice(0, at), one, other, ...events.slice(at + 1)] as typeof events };
  }),
  "has an unknown event": changing((random, { whole, events }, apiName) => {
    const at = below(random, events.length);
    const event = UNKNOWN_EVENTS[apiName];
    return { whole, events: [...events.slice(0, at), event, ...events.slice(at)] };
  }),
};

const UNKNOWN_EVENTS: Readonly<Record<ApiName, Json>> = {
  "openai-chat": { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [] },
  "openai-responses": { type: "response.hologram.delta", output_index: 0, delta: "b" },
  anthropic: { type: "hologram", index: 0 },
  google: { usageMetadata: {} },
};

const textOf = ({ holder, key }: Place): string => String(holder[key]);

/** Some services send all the pieces once more as one. Only as a whole can it be told from another piece. */
function repeatsAll(event: unknown, before: readonly unknown[]): boolean {
  const [piece] = piecesIn(event);
  const earlier = before.flatMap(piecesIn).filter(({ key }) => key === piece?.key);
  return piece !== undefined && earlier.map(textOf).join("") === textOf(piece);
}

/** What comes once beside a delta. */
const UNDIVIDED =
  /response":|result":|call":\{.*text|signature|encrypted|candidates".*"index":[1-9]|finish_?reason":"|citation|annotation|details|logprobs":\{/i;

/** The deltas in an event that can be split: a text alone in an event without other content. */
function piecesIn(event: unknown): readonly Place[] {
  if (typeof event !== "object" || event === null) return [];
  const { type }: { readonly type?: unknown } = event;
  const isDelta = type === undefined || type === "content_block_delta" || /\.delta$/.test(String(type));
  if (!isDelta || UNDIVIDED.test(JSON.stringify(event))) return [];
  const found = placesIn(event).filter(
    ({ holder, key }) =>
      PIECES.test(key) && typeof holder[key] === "string" && String(holder[key]).length > 1,
  );
  return found.length === 1 ? found : [];
}
