import { useEffect, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

interface ConfirmButtonProps {
  readonly label: string;
  /** The button's text before the second click. */
  readonly question: string;
  readonly icon?: IconName;
  readonly onConfirm: () => void;
}

const ASKING_MS = 5_000;

/** A button for an action that can't be undone: the first click asks, the second one confirms. */
export function ConfirmButton({ label, question, icon, onConfirm }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    if (!asking) return undefined;
    const timer = setTimeout(() => setAsking(false), ASKING_MS);
    return () => clearTimeout(timer);
  }, [asking]);
  const iconOnly = icon !== undefined && !asking;
  return (
    <button
      type="button"
      class={`quiet${iconOnly ? " square" : ""}${asking ? " danger" : ""}`}
      aria-label={iconOnly ? label : undefined}
      title={iconOnly ? label : undefined}
      onBlur={() => setAsking(false)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !asking) return;
        event.preventDefault();
        setAsking(false);
      }}
      onClick={() => {
        setAsking(!asking);
        if (asking) onConfirm();
      }}
    >
      {asking ? question : iconOnly ? <Icon name={icon} /> : label}
    </button>
  );
}
