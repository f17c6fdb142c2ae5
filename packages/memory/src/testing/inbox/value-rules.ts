import { expect } from "vitest";
import { storableIds } from "../fixtures/hostile-ids.ts";
import { contentsOf, type InboxRules, put, putEach, read, remove } from "./scenario.ts";

const MEGABYTE = 1_000_000;

export const valueRules: InboxRules = {
  "returns contents exactly": async ({ inbox, other }) => {
    const contents = [...storableIds, "", "\ufeffmarked", '{"a":"\\u0000\\ud800"}', "1.0", " [] ", '"', "\\"];
    for (const [at, content] of contents.entries()) await put(inbox, { key: `${at}`, content });
    expect(await contentsOf(other, { limit: 1_000 })).toEqual(contents);
  },
  "keeps contents of a megabyte": async ({ inbox, other }) => {
    const contents = ["é", "字", "😀"].map((letter) => letter.repeat(MEGABYTE / letter.length));
    for (const [at, content] of contents.entries()) await put(inbox, { key: `${at}`, content });
    const found = await contentsOf(other);
    expect(found.map((content, at) => content === contents[at])).toEqual([true, true, true]);
  },
  "keeps hostile keys of one conversation apart": async ({ inbox, other }) => {
    const cursors = await putEach(inbox, storableIds);
    for (const [at, key] of storableIds.entries())
      expect(await put(other, { key }), key).toEqual({ cursor: cursors[at], isNew: false });
    const found = await read(other, { limit: 1_000 });
    expect(found.map(({ key }) => key)).toEqual(storableIds);
  },
  "keeps hostile ids apart": async ({ inbox, other }) => {
    for (const id of storableIds) await put(inbox, { conversationId: id, userId: id, key: id, content: id });
    for (const id of storableIds) {
      const entries = await read(other, { conversationId: id });
      expect(entries, id).toMatchObject([{ conversationId: id, userId: id, key: id, content: id }]);
    }
    const [star] = await read(inbox, { conversationId: "*" });
    expect(await remove(inbox, star?.cursor ?? "", "*")).toBe(1);
    expect(await inbox.deleteUser("%")).toEqual({ success: true, data: 1 });
    expect(await inbox.deleteConversation("{a}")).toEqual({ success: true, data: 1 });
    const gone = new Set(["*", "%", "{a}"]);
    for (const id of storableIds)
      expect(await contentsOf(other, { conversationId: id }), id).toEqual(gone.has(id) ? [] : [id]);
  },
};
