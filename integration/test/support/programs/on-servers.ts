import { expect, inject } from "vitest";
import { describeFailed } from "./played-program.ts";
import type { Backend } from "./process-messages.ts";
import { type ProcessProgramsOptions, playInProcesses } from "./process-programs.ts";
import { dropSharedStore } from "./shared-store.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
    redisClusterUrls: string[];
  }
}

interface ServerOptions extends Omit<ProcessProgramsOptions, "place"> {
  readonly backend: Backend;
}

function urlsOf(backend: Backend): string[] {
  if (backend === "redis-cluster") return inject("redisClusterUrls");
  return [inject(backend === "redis" ? "redisUrl" : "pgUrl")];
}

/** Plays programs in processes, in their own namespace. Fails with the first broken rule. Prints one line of figures. */
export async function expectSoundInProcesses({ backend, ...options }: ServerOptions): Promise<void> {
  const place = {
    backend,
    urls: urlsOf(backend),
    namespace: `programs_${crypto.randomUUID().replaceAll("-", "")}`,
  };
  const began = performance.now();
  try {
    const { failed, calls, killed } = await playInProcesses({ ...options, place });
    const seconds = Math.round((performance.now() - began) / 1_000);
    const { count } = options;
    process.stdout.write(
      `${backend}: ${count} programs, ${calls} calls, ${killed} processes killed, ${seconds} s\n`,
    );
    expect(failed.slice(0, 1).map(describeFailed)).toEqual([]);
    if (options.killEvery <= count / options.atOnce) expect(killed).toBeGreaterThan(0);
  } finally {
    await dropSharedStore(place);
  }
}
