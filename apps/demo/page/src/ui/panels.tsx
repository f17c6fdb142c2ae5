import { type ComponentChildren, h, type VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface ScrollAreaProps {
  readonly class: string;
  readonly label: string;
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** A scrollable area. It can have the focus, so the keyboard scrolls it even without focusable content. */
export const ScrollArea = ({ class: name, label, id, children }: ScrollAreaProps): VNode =>
  h("section", { class: name, id, tabIndex: 0, "aria-label": label }, children) as VNode;

interface SheetProps {
  readonly title: string;
  readonly side: "left" | "right";
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A panel over the page, from one side. Traps the focus, closes on Esc, and then restores the focus. */
export function Sheet({ title, side, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a dialog automatically
    <dialog
      ref={dialog}
      class={`sheet ${side}`}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="sheet-content">
        <header class="sheet-header">
          <h2>{title}</h2>
          <button type="button" class="quiet square" onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
