import { excessOf, type Files, fileAbove, isDirectory, isInside, listing, pathIn, ROOT } from "./files.ts";

/** What the model asks the memory tool for: one command of Anthropic's `memory_20250818`. */
export type MemoryCommand =
  | {
      readonly command: "view";
      readonly path: string;
      /** The first and the last line, from 1; `-1`: up to the end. */
      readonly view_range?: readonly number[] | undefined;
    }
  | { readonly command: "create"; readonly path: string; readonly file_text: string }
  | {
      readonly command: "str_replace";
      readonly path: string;
      readonly old_str: string;
      readonly new_str: string;
    }
  | {
      readonly command: "insert";
      readonly path: string;
      /** The line behind which the text is inserted; `0`: at the beginning. */
      readonly insert_line: number;
      readonly insert_text: string;
    }
  | { readonly command: "delete"; readonly path: string }
  | { readonly command: "rename"; readonly old_path: string; readonly new_path: string };

/** The text for the model, and the files if the command changed them. */
export interface CommandResult {
  readonly text: string;
  readonly files?: Files;
}

/** Carries out a command. The texts are those that Anthropic documents. */
export function carryOut(command: MemoryCommand, files: Files): CommandResult {
  const given = command.command === "rename" ? [command.old_path, command.new_path] : [command.path];
  const invalid = given.find((path) => pathIn(path) === undefined);
  if (invalid !== undefined) return { text: `Error: The path ${invalid} is not a valid path in ${ROOT}` };
  const [path = ROOT, target = ROOT] = given.map((each) => pathIn(each) ?? ROOT);
  const result = changed(command, { files, path, target });
  const excess = result.files === undefined ? undefined : excessOf(result.files);
  return excess === undefined ? result : { text: excess };
}

/** The text for the model after a command that changes files. */
export function doneText(command: Exclude<MemoryCommand, { readonly command: "view" }>): string {
  switch (command.command) {
    case "create":
      return `File created successfully at: ${command.path}`;
    case "str_replace":
      return "The memory file has been edited.";
    case "insert":
      return `The file ${command.path} has been edited.`;
    case "delete":
      return `Successfully deleted ${command.path}`;
    case "rename":
      return `Successfully renamed ${command.old_path} to ${command.new_path}`;
  }
}

interface Place {
  readonly files: Files;
  readonly path: string;
  /** The new path of `rename`. */
  readonly target: string;
}

function changed(command: MemoryCommand, place: Place): CommandResult {
  switch (command.command) {
    case "view":
      return view(command.view_range, place);
    case "create":
      return create(command, place);
    case "str_replace":
      return replace(command, place);
    case "insert":
      return insert(command, place);
    case "delete":
      return remove(command, place);
    case "rename":
      return rename(command, place);
  }
}

type Of<Name extends MemoryCommand["command"]> = Extract<MemoryCommand, { readonly command: Name }>;

const absent = (path: string): CommandResult => ({ text: `Error: The path ${path} does not exist` });
const absentFile = (path: string): CommandResult => ({
  text: `Error: The path ${path} does not exist. Please provide a valid path.`,
});

function view(range: Of<"view">["view_range"], { files, path }: Place): CommandResult {
  const text = files.get(path);
  if (text === undefined)
    return isDirectory(files, path)
      ? { text: listing(files, path) }
      : { text: `The path ${path} does not exist. Please provide a valid path.` };
  const lines = linesOf(text);
  const [first = 1, last = -1] = range ?? [];
  const shown = numbered(lines, Math.max(1, first), last === -1 ? lines.length : last);
  return { text: `Here's the content of ${path} with line numbers:\n${shown}` };
}

function create(command: Of<"create">, { files, path }: Place): CommandResult {
  if (files.has(path) || isDirectory(files, path)) return { text: `Error: File ${path} already exists` };
  const above = fileAbove(files, path);
  if (above !== undefined) return { text: `Error: ${above} is a file and not a directory` };
  return { text: doneText(command), files: new Map([...files, [path, command.file_text]]) };
}

/** How many lines around a change the model is shown. */
const CONTEXT_LINES = 4;

function replace(command: Of<"str_replace">, { files, path }: Place): CommandResult {
  const { old_str: old, new_str: replacement } = command;
  const text = files.get(path);
  if (text === undefined) return absentFile(path);
  const places = old === "" ? [] : placesOf(old, text);
  const [at] = places;
  if (at === undefined)
    return { text: `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.` };
  const lineOf = (position: number): number => text.slice(0, position).split("\n").length;
  if (places.length > 1)
    return {
      text: `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${places.map(lineOf).join(", ")}. Please ensure it is unique`,
    };
  const edited = text.slice(0, at) + replacement + text.slice(at + old.length);
  const lines = linesOf(edited);
  const first = Math.max(1, lineOf(at) - CONTEXT_LINES);
  const last = Math.min(lines.length, lineOf(at) + replacement.split("\n").length - 1 + CONTEXT_LINES);
  return {
    text: [doneText(command), ...(lines.length === 0 ? [] : [numbered(lines, first, last)])].join("\n"),
    files: new Map([...files, [path, edited]]),
  };
}

const MAX_PLACES = 20;

/** The first places of a part in a text. A line feed can be at 100,000 places, and the model needs no list of these. */
function placesOf(part: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1 && places.length < MAX_PLACES; at = text.indexOf(part, at + 1))
    places.push(at);
  return places;
}

function insert(command: Of<"insert">, { files, path }: Place): CommandResult {
  const { insert_line: line, insert_text: inserted } = command;
  const text = files.get(path);
  if (text === undefined) return absent(path);
  const lines = linesOf(text);
  if (line < 0 || line > lines.length)
    return {
      text: `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    };
  const edited = [...lines.slice(0, line), ...linesOf(inserted), ...lines.slice(line)].join("\n");
  const endsLine = (line === lines.length ? inserted : text).endsWith("\n");
  return { text: doneText(command), files: new Map([...files, [path, endsLine ? `${edited}\n` : edited]]) };
}

function remove(command: Of<"delete">, { files, path }: Place): CommandResult {
  if (path === ROOT) return { text: `Error: The directory ${ROOT} itself can't be deleted` };
  if (!files.has(path) && !isDirectory(files, path)) return absent(path);
  const kept = [...files].filter(([file]) => file !== path && !isInside(file, path));
  return { text: doneText(command), files: new Map(kept) };
}

function rename(command: Of<"rename">, { files, path, target }: Place): CommandResult {
  if (path === ROOT) return { text: `Error: The directory ${ROOT} itself can't be renamed` };
  if (!files.has(path) && !isDirectory(files, path)) return absent(path);
  if (files.has(target) || isDirectory(files, target))
    return { text: `Error: The destination ${target} already exists` };
  const above = isInside(target, path) ? path : fileAbove(files, target);
  if (above !== undefined) return { text: `Error: The destination ${target} is inside of ${above}` };
  const moved = [...files].map(([file, text]): [string, string] =>
    file === path || isInside(file, path) ? [target + file.slice(path.length), text] : [file, text],
  );
  return { text: doneText(command), files: new Map(moved) };
}

/** The lines of a text. A line feed ends a line, and begins none. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

const NUMBER_WIDTH = 6;

const numbered = (lines: readonly string[], first: number, last: number): string =>
  lines
    .slice(first - 1, last)
    .map((line, index) => `${String(first + index).padStart(NUMBER_WIDTH)}\t${line}`)
    .join("\n");
