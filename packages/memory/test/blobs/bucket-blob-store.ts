import { hash } from "node:crypto";
import { type BlobEntry, type BlobStore, defineBlobStore } from "@jaf/memory/adapter";

/** What is needed of a client of S3, or of anything like it. */
export interface Bucket {
  readonly put: (key: string, body: Uint8Array) => Promise<void>;
  readonly get: (key: string) => Promise<Uint8Array | undefined>;
  readonly delete: (key: string) => Promise<void>;
  /** All pages, as of now: what was put or deleted before shows. */
  readonly list: (prefix: string) => Promise<readonly BucketObject[]>;
}

interface BucketObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
}

const EMPTY = new Uint8Array();

/** An object's last name is the id of the hold that it was put under: so it is its token, and no put touches another's object. */
const nameOf = ({ key }: BucketObject): string => key.slice(key.lastIndexOf("/") + 1);

export function createBucketBlobStore(bucket: Bucket): BlobStore {
  // Ids may be longer than a key, and may identify a person.
  const folder = (kind: string, id: string): string => `${kind}/${hash("sha256", id, "hex")}`;
  const blobs = (id: string): string => `${folder("blobs", id)}/`;
  const holds = (id: string): string => `${folder("holds", id)}/`;
  const mark = (id: string) => bucket.put(folder("due", id), new TextEncoder().encode(id));

  async function store(id: string, sha256: string, data: Uint8Array, hold: { id: string; seconds: number }) {
    await mark(id);
    await bucket.put(`${holds(id)}${sha256}/${hold.seconds}/${hold.id}`, EMPTY);
    await bucket.put(`${blobs(id)}${sha256}/${hold.id}`, data);
    // Again, since an erasure beside this may have found nothing, and taken the mark away.
    await mark(id);
  }

  async function read(id: string, sha256: string): Promise<Uint8Array | null> {
    for (;;) {
      const copies = await bucket.list(`${blobs(id)}${sha256}/`);
      if (copies.length === 0) return null;
      for (const { key } of copies) {
        const data = await bucket.get(key);
        if (data !== undefined) return data;
      }
    }
  }

  async function list(id: string): Promise<readonly BlobEntry[]> {
    // The blobs first: a hold that is gone by then was ended after its message was stored.
    const objects = await bucket.list(blobs(id));
    const held = new Set<string>();
    for (const object of await bucket.list(holds(id))) {
      const [sha256 = "", seconds] = object.key.slice(holds(id).length).split("/");
      if (object.modifiedAt.getTime() + Number(seconds) * 1_000 > Date.now()) held.add(sha256);
    }
    return objects.map((object) => {
      const [sha256 = ""] = object.key.slice(blobs(id).length).split("/");
      return { sha256, size: object.size, token: nameOf(object), held: held.has(sha256) };
    });
  }

  async function endHolds(id: string, hashes: readonly string[], holdId?: string): Promise<void> {
    for (const sha256 of hashes) {
      for (const object of await bucket.list(`${holds(id)}${sha256}/`)) {
        if (holdId === undefined || nameOf(object) === holdId) await bucket.delete(object.key);
      }
    }
  }

  return defineBlobStore({
    name: "bucket",
    put: ({ conversationId, sha256, data }, hold) => store(conversationId, sha256, data, hold),
    keep: async (id, hashes, hold) => {
      const kept: string[] = [];
      for (const sha256 of hashes) {
        const data = await read(id, sha256);
        if (data === null) continue;
        await store(id, sha256, data, hold);
        kept.push(sha256);
      }
      return kept;
    },
    release: endHolds,
    get: read,
    list,
    remove: async (id, given) => {
      const there = new Set((await bucket.list(blobs(id))).map(({ key }) => key));
      const keys = given.map(({ sha256, token }) => `${blobs(id)}${sha256}/${token}`);
      const gone = keys.filter((key) => there.has(key));
      for (const key of gone) await bucket.delete(key);
      if ((await bucket.list(blobs(id))).length > 0) return gone.length;
      await bucket.delete(folder("due", id));
      // Put meanwhile, by a client that had marked it before.
      if ((await bucket.list(blobs(id))).length > 0) await mark(id);
      return gone.length;
    },
    due: async (limit, idleSeconds) => {
      const waiting = (await bucket.list("due/"))
        .filter(({ modifiedAt }) => modifiedAt.getTime() <= Date.now() - idleSeconds * 1_000)
        .sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime())
        .slice(0, limit);
      const ids: string[] = [];
      for (const { key } of waiting) {
        const body = await bucket.get(key);
        if (body === undefined) continue;
        await bucket.put(key, body);
        ids.push(new TextDecoder().decode(body));
      }
      return ids;
    },
    close: async () => {},
  });
}
