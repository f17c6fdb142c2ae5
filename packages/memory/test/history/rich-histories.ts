import type { ContentPart, Message, RichMessage, RichToolCall } from "@jaf/memory";

type Random = (below: number) => number;

const pick = <T>(random: Random, ...items: readonly T[]): T => items[random(items.length)] as T;

const said = (text: string): ContentPart => ({ type: "text", text });
const thought = (text: string): ContentPart => ({ type: "reasoning", text, signature: `signs ${text}` });

function callOf(id: string, random: Random): RichToolCall {
  if (random(3) === 0) return { id, type: "custom", custom: { name: "run", input: "x" } };
  const call = { id, type: "function", function: { name: "look", arguments: "{}" } } as const;
  return random(2) === 0 ? call : { ...call, extra_content: { google: { thought_signature: id } } };
}

/** Parts with a tool-call part for every call, some, or none. */
function partsFor(ids: readonly string[], random: Random): readonly ContentPart[] {
  const before = (): readonly ContentPart[] =>
    pick<readonly ContentPart[]>(random, [], [thought(`${random(99)}`)], [said(`${random(99)}`)]);
  const places = ids.filter(() => random(4) > 0).map((id): ContentPart => ({ type: "tool-call", id }));
  const search: ContentPart = { type: "provider-tool-call", id: "p", name: "search", input: { q: "x" } };
  const behind = places.length < ids.length ? before() : [];
  const parts = [...before(), ...places.flatMap((place) => [...before(), place]), ...behind];
  return random(5) === 0 ? [search, ...parts] : parts;
}

function turn(random: Random): readonly RichMessage[] {
  const ids = ["a", "b", "c", "d"].filter(() => random(3) === 0).map((id) => `${id}${random(2)}`);
  const text = `so ${random(99)}`;
  const content = pick<RichMessage["content"]>(random, "", null, text, [said(text)], partsFor(ids, random));
  const fields = pick<object>(
    random,
    {},
    {},
    { reasoning_content: `hm ${random(99)}` },
    { refusal: `no ${random(99)}` },
    { origin: { provider: "p", api: "chat", model: "m" } },
  );
  const calls = ids.length === 0 ? {} : { tool_calls: ids.map((id) => callOf(id, random)) };
  return [
    pick<RichMessage>(
      random,
      { role: "user", content: [said("what is"), { type: "media", mediaType: "image/png", data: "AAAA" }] },
      { role: "user", content: `ask ${random(99)}` },
      { role: "system", content: "be brief" },
      { role: "developer", content: [said("be brief")] },
    ),
    { role: "assistant", content, ...fields, ...calls },
    ...ids.map((id): RichMessage => ({ role: "tool", content: `of ${id}`, tool_call_id: id })),
  ];
}

/** A history of one to six turns, as the engine and other frameworks store them. */
export const richHistory = (random: Random): readonly Message[] =>
  Array.from({ length: 1 + random(6) }, () =>
    turn(random),
  ).flat() as readonly unknown[] as readonly Message[];
