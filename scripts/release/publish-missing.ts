import { statSync } from "node:fs";
import type { PackedPackage } from "../pack.ts";
import { ReleaseError } from "./failure.ts";
import { presenceOf, waitForPresence } from "./registry.ts";

const sizeOf = (tarball: string): string => `${Math.ceil(statSync(tarball).size / 1024)} KiB`;

/**
 * Publishes those of the packages that the registry doesn't have, one after another, and prints a line about each. `upload`
 * returns whether it succeeded; without it, nothing is published. At the end, the registry must have them all within
 * `limitMs`.
 */
export async function publishMissing(
  packed: readonly PackedPackage[],
  registry: string,
  upload: ((tarball: string) => boolean) | undefined,
  limitMs = 300_000,
): Promise<void> {
  const presences = await Promise.all(packed.map((each) => presenceOf(registry, each)));
  const different = packed.filter((_, index) => presences[index] === "different");
  if (different.length > 0)
    throw new ReleaseError(
      `The registry has ${different.map(({ name, version }) => `${name}@${version}`).join(", ")} with other ` +
        "content. A published version can't be changed: prepare a new one.",
    );
  for (const [index, { name, version, tarball }] of packed.entries()) {
    const title = `${name}@${version}`;
    const say = (text: string) => console.log(`${index + 1}/${packed.length} ${title} ${text}`);
    if (presences[index] === "same") say("is on the registry: skipped");
    else if (upload === undefined) say(`would be published (${sizeOf(tarball)})`);
    else if (upload(tarball)) say(`is published (${sizeOf(tarball)})`);
    else
      throw new ReleaseError(
        `pnpm couldn't publish ${title}, for the reason above. Run the same command again to continue.`,
      );
  }
  if (upload !== undefined) await waitForPresence(registry, packed, limitMs);
}
