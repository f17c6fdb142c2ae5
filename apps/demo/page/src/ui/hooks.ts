import { useEffect, useState } from "preact/hooks";
import { failureText } from "../models/server.ts";

/** Runs one action at a time, and keeps the error of the last one. */
export function useAction(): {
  readonly busy: boolean;
  readonly failure: string | undefined;
  readonly act: (action: () => Promise<unknown>) => void;
} {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const act = (action: () => Promise<unknown>) => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    action()
      .catch((thrown: unknown) => setFailure(failureText(thrown)))
      .finally(() => setBusy(false));
  };
  return { busy, failure, act };
}

/** Whether a media query matches. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = () => setMatches(list.matches);
    update();
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, [query]);
  return matches;
}

export function useOnline(): boolean {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    addEventListener("online", update);
    addEventListener("offline", update);
    return () => {
      removeEventListener("online", update);
      removeEventListener("offline", update);
    };
  }, []);
  return online;
}

/** Focuses an element if the focused one was removed, so keyboard users keep their place. */
export function refocus(element: HTMLElement | null): void {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) element?.focus({ preventScroll: true });
}

/** Refocuses after the current change is drawn. */
export function refocusLater(find: () => HTMLElement | null): void {
  requestAnimationFrame(() => requestAnimationFrame(() => refocus(find())));
}
