import { readFileSync } from "node:fs";
import { console as inspectorConsole, type Runtime, Session } from "node:inspector";
import { fileURLToPath } from "node:url";

/** The source of a place in the bundle. */
interface Section {
  readonly source: string;
  readonly line: number;
  readonly offset: number;
}

export interface Depth {
  /** Calls in our own sources, outermost first. */
  readonly calls: readonly string[];
  /** Our sources with functions that ran, except those that only the test uses. */
  readonly files: readonly string[];
}

const SECTION = /^\/\/ (?:\.\.\/)*(\S+\.ts)$/;

function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  let offset = 0;
  for (const [line, content] of text.split("\n").entries()) {
    const source = SECTION.exec(content)?.[1];
    if (source !== undefined) sections.push({ source, line, offset });
    offset += content.length + 1;
  }
  return sections;
}

/** Watches this process. It must run as a bundle of its sources. */
export function openWatch(bundleUrl: string) {
  const sections = sectionsOf(readFileSync(fileURLToPath(bundleUrl), "utf8"));
  const session = new Session();
  session.connect();
  session.post("Debugger.enable");
  session.post("Debugger.setAsyncCallStackDepth", { maxDepth: 10_000 });
  session.post("Runtime.enable");
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

  const ownSource = (isBefore: (section: Section) => boolean): string | undefined => {
    const source = sections.findLast(isBefore)?.source;
    return source?.startsWith("packages/") ? source.replace("/src/", "/") : undefined;
  };

  /** An activation can be in several segments of an asynchronous stack: at its call, and at its `await`. */
  const callsOf = (trace: Runtime.StackTrace | undefined): readonly string[] => {
    const calls = new Set<string>();
    for (let segment = trace; segment !== undefined; segment = segment.parent)
      for (const { url, functionName, lineNumber } of segment.callFrames) {
        const source = url === bundleUrl ? ownSource(({ line }) => line <= lineNumber) : undefined;
        if (source !== undefined)
          calls.add(`${source} ${functionName || `callback in line ${lineNumber + 1}`}`);
      }
    return [...calls].reverse();
  };

  return {
    /** Starts to count the files. */
    start: (): void => session.post("Profiler.takePreciseCoverage"),
    /** Returns the stack of the caller. */
    read(): Depth {
      let calls: readonly string[] = [];
      session.once("Runtime.consoleAPICalled", ({ params }) => {
        calls = callsOf(params.stackTrace);
      });
      inspectorConsole.trace();
      const files = new Set<string>();
      session.post("Profiler.takePreciseCoverage", (_error, { result }) => {
        const own = result.find(({ url }) => url === bundleUrl);
        for (const { ranges } of own?.functions ?? []) {
          const range = ranges[0];
          const source = ownSource(({ offset }) => offset <= (range?.startOffset ?? 0));
          if (range !== undefined && range.count > 0 && source !== undefined) files.add(source);
        }
      });
      return { calls, files: [...files].sort() };
    },
  };
}
