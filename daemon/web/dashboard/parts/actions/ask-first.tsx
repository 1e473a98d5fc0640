// A button whose action is asked about first.

import { useSignal } from '@preact/signals';
import { formatFailure } from '../../api/failure.ts';
import { announce } from '../announce.tsx';
import { ActionButton } from './action-button.tsx';
import { Confirm } from './confirm.tsx';
import { useOngoing } from './ongoing.ts';

interface AskFirstProps {
  /** The button. */
  readonly title: string;
  /** The words of the button, where its place says the rest of the title. */
  readonly short?: string;
  readonly question: string;
  /** What the action takes away. */
  readonly loss: string;
  readonly word: string;
  readonly line: string;
  /** Why the button is disabled. */
  readonly refusal: string | undefined;
  /** Makes the change. Returns what to announce. */
  readonly onYes: () => Promise<string>;
}

export const AskFirst = ({ title, short, question, loss, word, line, refusal, onYes }: AskFirstProps) => {
  const asking = useSignal(false);
  const ongoing = useOngoing();
  const act = async (): Promise<void> => {
    try {
      announce(await onYes());
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };
  return (
    <>
      <ActionButton
        isOff={ongoing.has()}
        refusal={refusal}
        aria-label={title}
        onClick={() => {
          asking.value = true;
        }}
      >
        {short ?? title}
      </ActionButton>
      {asking.value ? (
        <Confirm
          title={question}
          word={word}
          line={line}
          onYes={() => void ongoing.run(act)}
          onClose={() => {
            asking.value = false;
          }}
        >
          <p>{loss}</p>
        </Confirm>
      ) : null}
    </>
  );
};
