import type { Json, RecordedReply } from "../recording.ts";

interface ChatReply {
  /** The message of the reply in one piece. */
  readonly message: Json;
  /** The deltas of the stream. */
  readonly deltas: readonly Json[];
  /** Default `"stop"`. */
  readonly finish?: string;
  /** Fields of the body besides `choices` and `usage`, e.g. `system_fingerprint`: each event of the stream repeats them. */
  readonly body?: Json;
  /** Fields of the choice besides the message, in the last event of the stream with a choice. */
  readonly choice?: Json;
  readonly usage?: Json;
  /** Fields that only the last event of the stream has, in place of an event with the usage alone. */
  readonly last?: Json;
}

/** A reply of Chat Completions in one piece, and the events of its stream. */
export function chatReply({
  message,
  deltas,
  finish = "stop",
  body = {},
  choice = {},
  usage,
  last,
}: ChatReply): RecordedReply {
  const head = { id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG", created: 1_790_000_000, ...body };
  const event = (choices: readonly Json[], further: Json = {}): Json => ({
    ...{ ...head, object: "chat.completion.chunk" },
    choices,
    ...further,
  });
  return {
    whole: {
      ...{ ...head, object: "chat.completion" },
      choices: [{ index: 0, message, finish_reason: finish, ...choice }],
      ...(usage === undefined ? {} : { usage }),
    },
    events: [
      ...deltas.map((delta) => event([{ index: 0, delta, finish_reason: null }])),
      event([{ index: 0, delta: {}, finish_reason: finish, ...choice }], last),
      ...(last === undefined && usage !== undefined ? [event([], { usage })] : []),
      "[DONE]",
    ],
  };
}

/** The deltas of a text, in two pieces. */
export const saying = (text: string): readonly Json[] => [
  { role: "assistant", content: text.slice(0, text.length / 2) },
  { content: text.slice(text.length / 2) },
];

/** A call of a function in a whole message. */
export const calling = (id: string, name: string, args: Json): Json => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});
