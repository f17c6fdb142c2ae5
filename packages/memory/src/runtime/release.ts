declare global {
  /**
   * The name and version of the package that uses it, e.g. `@jaf/core 0.1.0`. The build writes it into the code
   * (tsup.base.ts); it is `undefined` if sources run, as in tests.
   */
  var JAF_RELEASE: string | undefined;
}

/** The packages that {@link checkRelease} has passed, in the form `@jaf/core 0.1.0`. */
const callers = new Set<string>();

/**
 * Throws a `TypeError` if the calling package needs another release of `@jaf/memory` than the installed one. npm refuses to
 * install such packages together, but pnpm, yarn and bun only warn.
 *
 * `release` is the caller's `globalThis.JAF_RELEASE`. It is `undefined` if sources run, which aren't checked. Packages of
 * other releases call this function, so its name and its parameter must not change.
 */
export function checkRelease(release: string | undefined): void {
  const own = globalThis.JAF_RELEASE;
  if (release === undefined || own === undefined || callers.has(release)) return;
  const [wanted, installed] = [versionIn(release), versionIn(own)];
  // A prerelease counts as newer than its release, which no published range of ours depends on.
  const age = installed.localeCompare(wanted, "en", { numeric: true });
  if (age >= 0 && kept(installed) === kept(wanted)) {
    callers.add(release);
    return;
  }
  const newer = age < 0 ? wanted : installed;
  const all = [own, ...callers, release].map((each) => each.replace(/ .*/, `@^${newer}`));
  throw new TypeError(
    `${release} needs @jaf/memory ^${wanted}, and ${installed} is installed. Install the same release of all: npm install ${all.join(" ")}`,
  );
}

const versionIn = (release: string): string => release.replace(/.* /, "");

/** The part of a version that a range `^version` keeps: all up to the first number other than 0. */
const kept = (version: string): string | undefined => /^(0\.)*\d+/.exec(version)?.[0];
