import { useState } from "preact/hooks";
import { failureText } from "../models/server.ts";

/** Runs one action at a time, and keeps why the last one failed. */
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
