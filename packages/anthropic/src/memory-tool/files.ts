/** The files of one user: their texts by their paths. Directories exist as long as a file is in them. */
export type Files = ReadonlyMap<string, string>;

export const ROOT = "/memories";

const MAX_PATH_LENGTH = 255;
const MAX_FILES = 500;
const MAX_FILE_LENGTH = 100_000;
const MAX_TOTAL_LENGTH = 1_000_000;

/** Neither `.` nor `..`, and without separators and control characters. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\\p{Cc}]+$/u;
/** A dot or a separator that a later step might decode. */
const ENCODED = /%(2e|2f|5c|00)/i;

/** Returns the path without a slash at its end; `undefined` if it could lead out of {@link ROOT}. */
export function pathIn(given: string): string | undefined {
  const path = given.replace(/\/$/, "");
  const [before, root, ...segments] = path.split("/");
  const isInside = before === "" && root === "memories" && segments.every((segment) => SEGMENT.test(segment));
  return isInside && path.length <= MAX_PATH_LENGTH && !ENCODED.test(path) ? path : undefined;
}

export const isInside = (path: string, directory: string): boolean => path.startsWith(`${directory}/`);

export const isDirectory = (files: Files, path: string): boolean =>
  path === ROOT || [...files.keys()].some((file) => isInside(file, path));

/** Returns the file that a path takes for a directory; `undefined` if there is none. */
export const fileAbove = (files: Files, path: string): string | undefined =>
  [...files.keys()].find((file) => isInside(path, file));

/** Returns why the files are too many or too long, as a sentence for the model; `undefined` if they aren't. */
export function excessOf(files: Files): string | undefined {
  if (files.size > MAX_FILES) return `Error: The memory holds at most ${MAX_FILES} files. Delete some first.`;
  let total = 0;
  for (const [path, text] of files) {
    // The new name of a directory can make the paths in it too long to be asked for.
    if (path.length > MAX_PATH_LENGTH)
      return `Error: A path would be longer than ${MAX_PATH_LENGTH} characters.`;
    if (text.length > MAX_FILE_LENGTH)
      return `Error: File ${path} would be longer than ${MAX_FILE_LENGTH} characters.`;
    total += text.length;
  }
  return total > MAX_TOTAL_LENGTH
    ? `Error: The memory holds at most ${MAX_TOTAL_LENGTH} characters. Delete some files first.`
    : undefined;
}

const LISTED_LEVELS = 2;
const isHidden = (segment: string): boolean => segment.startsWith(".") || segment === "node_modules";

/** Lists what is in a directory, two levels deep, with sizes. */
export function listing(files: Files, directory: string): string {
  const sizes = new Map([[directory, 0]]);
  for (const [path, text] of files) {
    if (!isInside(path, directory)) continue;
    const segments = path.slice(directory.length + 1).split("/");
    if (segments.some(isHidden)) continue;
    const size = new TextEncoder().encode(text).length;
    for (let level = 0; level <= Math.min(LISTED_LEVELS, segments.length); level++) {
      const entry = [directory, ...segments.slice(0, level)].join("/");
      sizes.set(entry, (sizes.get(entry) ?? 0) + size);
    }
  }
  const lines = [...sizes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, size]) => `${sizeText(size)}\t${path}`);
  const head = `Here're the files and directories up to 2 levels deep in ${directory}, excluding hidden items and node_modules:`;
  return [head, ...lines].join("\n");
}

const KIB = 1024;

function sizeText(bytes: number): string {
  const isSmall = bytes < KIB * KIB;
  const size = isSmall ? bytes / KIB : bytes / KIB / KIB;
  return `${(Math.ceil(size * 10) / 10).toFixed(1)}${isSmall ? "K" : "M"}`;
}
