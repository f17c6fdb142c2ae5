import type { Message, RichMessage } from "@jaf/memory";
import { textIn, utf8Of } from "@jaf/memory/internal";
import type { ChannelVersions } from "@langchain/langgraph-checkpoint";

/** A value that LangGraph's serializer dumped: its type, and the bytes, as text if they are UTF-8. */
export type Dumped = readonly [type: string, data: string | Uint8Array];

/** Where a channel's value stands: in this record, or in the record with the id `at`. */
export interface ChannelValue {
  readonly channel: string;
  readonly version: ChannelVersions[string];
  readonly value?: Dumped;
  readonly at?: string;
}

/** The part of a record that `put` stores. */
export interface StoredCheckpoint {
  /** The checkpoint without its channel values. */
  readonly checkpoint: Dumped;
  readonly metadata: Dumped;
  /** The id of the parent checkpoint. */
  readonly parent?: string;
  readonly values: readonly ChannelValue[];
}

/** The part of a record that `putWrites` stores. */
export interface StoredWrites {
  readonly task: string;
  /** The path of the task, which orders the writes of a step. */
  readonly path: string;
  readonly rows: readonly { readonly index: number; readonly channel: string; readonly value: Dumped }[];
}

/**
 * One call of `put` or `putWrites`. The records of a checkpoint are numbered from 0, without gaps, so that they can be
 * read by their ids. Usually record 0 holds the checkpoint, and the others hold writes.
 */
export interface CheckpointRecord {
  /** The id of the checkpoint. */
  readonly checkpoint: string;
  readonly number: number;
  /** Random, so that no two calls store equal messages: a store skips a message that is equal under the same id. */
  readonly call: string;
  readonly put?: StoredCheckpoint;
  readonly writes?: StoredWrites;
}

/** The id (`WriteOptions.messageIds`) of a record's message. */
export const recordId = (checkpoint: string, number: number): string => `${checkpoint}/${number}`;

/** Returns the message that holds the record, in a field that other engines don't read. */
export const messageOf = (record: CheckpointRecord): Message => {
  const message: RichMessage = { role: "assistant", content: "", langgraph: record };
  return message as Message;
};

/** Returns the record that a message holds, or `undefined` if another program wrote the message. */
export function recordIn(message: RichMessage): CheckpointRecord | undefined {
  const record = message["langgraph"] as Partial<CheckpointRecord> | undefined;
  const isRecord = typeof record?.checkpoint === "string" && typeof record.number === "number";
  return isRecord ? (record as CheckpointRecord) : undefined;
}

/** The methods of LangGraph's serializer. */
export interface Serializer {
  readonly dumpsTyped: (value: unknown) => Promise<[string, Uint8Array]>;
  readonly loadsTyped: (type: string, data: Uint8Array | string) => Promise<unknown>;
}

export async function dump(serde: Serializer, value: unknown): Promise<Dumped> {
  const [type, bytes] = await serde.dumpsTyped(value);
  if (type !== "json") return [type, bytes];
  const text = textIn(bytes);
  // A serializer may encrypt or compress under the type "json". Text takes less space than bytes in a store.
  return [type, text.includes("\ufffd") && !isSame(utf8Of(text), bytes) ? bytes : text];
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

export const load = (serde: Serializer, [type, data]: Dumped): Promise<unknown> =>
  serde.loadsTyped(type, typeof data === "string" ? utf8Of(data) : data);

/** Where the values of a checkpoint stand, without the values. */
export function located(records: readonly CheckpointRecord[]): readonly ChannelValue[] | undefined {
  const last = records.findLast(({ put }) => put !== undefined);
  return last?.put?.values.map(({ channel, version, at }) => ({
    channel,
    version,
    at: at ?? recordId(last.checkpoint, last.number),
  }));
}
