import { useEffect, useState } from "preact/hooks";
import { demo } from "../server.ts";

const TYPING_MS = 200;
const NONE: ReadonlySet<string> = new Set();

/** The ids of the conversations in which `sought` was said, once that is known. */
export function useSaid(sought: string): ReadonlySet<string> {
  const [found, setFound] = useState(NONE);
  useEffect(() => {
    setFound(NONE);
    const query = sought.trim();
    if (query === "") return;
    let isOver = false;
    const timer = setTimeout(() => {
      demo.search(query).then(
        (ids) => {
          if (!isOver) setFound(new Set(ids));
        },
        () => {}, // Titles are found all the same.
      );
    }, TYPING_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [sought]);
  return found;
}
