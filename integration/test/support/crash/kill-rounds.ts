import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { VersionedMemoryProvider } from "@jaf/memory";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { type KilledOptions, openSurvivor } from "./killed.ts";
import type { LedgerEvent } from "./ledger.ts";

export interface KillRoundsOptions extends Omit<KilledOptions, "conversationIds" | "killAt" | "after"> {
  readonly connect: () => Promise<VersionedMemoryProvider>;
  readonly conversations: number;
  /** The number of processes, one after the other. */
  readonly rounds: number;
  /** The number of calls within which each is killed. */
  readonly mostCalls: number;
}

export interface KillRoundsReport {
  readonly broken: readonly string[];
  /** The number of processes that died before they were done. */
  readonly killed: number;
}

/** Lets processes play conversations until they kill themselves, then plays the conversations to their end. */
export async function playKillRounds(options: KillRoundsOptions): Promise<KillRoundsReport> {
  const { address, leaseMs, connect, conversations, rounds, mostCalls } = options;
  const conversationIds = Array.from({ length: conversations }, () => crypto.randomUUID());
  const survivors = await Promise.all(
    conversationIds.map((conversationId, index) => openSurvivor({ index, conversationId, leaseMs, connect })),
  );
  let killed = 0;
  for (let round = 0; round < rounds; round++) {
    const killAt = 1 + Math.floor(Math.random() * mostCalls);
    const child = { address, leaseMs, conversationIds, killAt, after: Math.random() < 0.5 };
    const died = await runChild(child, (index, event) => survivors[index]?.note(event));
    if (died) killed += 1;
    await Promise.all(survivors.map(({ inspect }) => inspect()));
  }
  const ends = await Promise.all(survivors.map(({ finish }) => finish()));
  const broken = ends.flatMap((rules, index) => rules.map((rule) => `conversation ${index}: ${rule}`));
  return { broken, killed };
}

/** Returns whether it was killed before it was done. */
async function runChild(
  options: KilledOptions,
  onEvent: (index: number, event: LedgerEvent) => void,
): Promise<boolean> {
  const file = await bundleProcess(new URL("kill-child.ts", import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => {
    const [index, event]: [number, LedgerEvent] = JSON.parse(line);
    onEvent(index, event);
  });
  const [[code, signal]] = await Promise.all([once(child, "exit"), once(lines, "close")]);
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`the process failed with code ${code}`);
  return signal === "SIGKILL";
}
