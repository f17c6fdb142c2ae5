import { fork } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import {
  type BlobStore,
  type RichMessage,
  type VersionedMemoryProvider,
  withBlobs,
} from "../../packages/memory/src/index.ts";
import { expectOk } from "../../packages/memory/src/testing/fixtures/expectations.ts";
import { bundleProcess } from "../process-bundle.ts";
import { CONVERSATIONS, CRASH_OPTIONS } from "./crash-load.ts";

export interface Crash {
  /** The URL of a module that calls `loadUntilKilled`. */
  readonly module: URL;
  readonly args: readonly string[];
  readonly store: VersionedMemoryProvider;
  readonly blobs: BlobStore;
}

const ROUNDS = 4;

async function killWhileItWrites({ module, args }: Crash, afterMs: number): Promise<void> {
  const child = fork(await bundleProcess(module), [...args], { execArgv: [], stdio: "inherit" });
  const ended = once(child, "exit");
  await Promise.race([once(child, "message"), ended]);
  expect(child.exitCode, "it must not have ended by itself").toBeNull();
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await ended;
}

const hashesIn = (messages: readonly RichMessage[]): readonly string[] =>
  [...JSON.stringify(messages).matchAll(/"sha256":"([0-9a-f]{64})"/g)].map(([, sha256 = ""]) => sha256);

/** Kills a writer repeatedly. Every reference must resolve immediately, and only referenced blobs may remain after all holds. */
export async function checkCrashes(crash: Crash): Promise<void> {
  const { store, blobs } = crash;
  const provider = withBlobs(store, { blobs, ...CRASH_OPTIONS });
  const messagesIn = async (id: string): Promise<readonly RichMessage[]> =>
    expectOk(await store.getConversation(id))?.messages ?? [];

  for (let round = 0; round < ROUNDS; round++) {
    await killWhileItWrites(crash, 100 + Math.random() * 300);
    for (const id of CONVERSATIONS) expectOk(await provider.resolveMedia(id, await messagesIn(id)));
  }
  await new Promise((resolve) => setTimeout(resolve, CRASH_OPTIONS.holdSeconds * 1_000 + 100));
  expectOk(await provider.sweepBlobs({ idleSeconds: 0 }));
  for (const id of CONVERSATIONS) {
    const left = expectOk(await blobs.list(id)).map(({ sha256 }) => sha256);
    expect([...left].sort()).toEqual([...new Set(hashesIn(await messagesIn(id)))].sort());
  }
}
