import type { Inbox, InboxEntry, InboxQuery, NewInboxEntry, PutEntry } from "../../inbox/inbox.ts";
import { expectOk } from "../fixtures/expectations.ts";

/** What a rule about inboxes gets for its test. */
export interface InboxScenario {
  readonly inbox: Inbox;
  /** Another inbox on the same storage. It is the same object as `inbox` if the storage only exists in one process. */
  readonly other: Inbox;
  /** Connects one more inbox to the storage. Returns `inbox` if the storage only exists in one process. */
  readonly connect: () => Promise<Inbox>;
  /** Makes all stored keys older by this number of seconds. */
  readonly age: (seconds: number) => Promise<void>;
  /** Returns all data in the storage as one text. */
  readonly contents?: (() => Promise<string>) | undefined;
}

/** Rules by title. A rule rejects if the inbox breaks it. */
export type InboxRules = Readonly<Record<string, (scenario: InboxScenario) => Promise<void>>>;

export const newEntry = (fields: Partial<NewInboxEntry> = {}): NewInboxEntry => ({
  conversationId: "c",
  userId: "u",
  key: "k",
  content: "{}",
  ...fields,
});

export const put = async (inbox: Inbox, fields?: Partial<NewInboxEntry>): Promise<PutEntry> =>
  expectOk(await inbox.put(newEntry(fields)));

/** Puts an entry for each text, which is its key and its content. Returns the cursors. */
export async function putEach(
  inbox: Inbox,
  texts: readonly string[],
  fields: Partial<NewInboxEntry> = {},
): Promise<readonly string[]> {
  const cursors: string[] = [];
  for (const text of texts) cursors.push((await put(inbox, { key: text, content: text, ...fields })).cursor);
  return cursors;
}

export const read = async (inbox: Inbox, query: Partial<InboxQuery> = {}): Promise<readonly InboxEntry[]> =>
  expectOk(await inbox.read({ conversationId: "c", ...query }));

/** Returns the contents of the entries. */
export const contentsOf = async (inbox: Inbox, query: Partial<InboxQuery> = {}): Promise<readonly string[]> =>
  (await read(inbox, query)).map(({ content }) => content);

/** Removes the entries up to a cursor, and returns their number. */
export const remove = async (inbox: Inbox, upTo: string, conversationId = "c"): Promise<number> =>
  expectOk(await inbox.remove({ conversationId, upTo }));

/** Returns the ids of the conversations whose inbox isn't empty. */
export const waitingIn = async (
  inbox: Inbox,
  query: Parameters<Inbox["waiting"]>[0] = {},
): Promise<readonly string[]> =>
  expectOk(await inbox.waiting(query)).map(({ conversationId }) => conversationId);
