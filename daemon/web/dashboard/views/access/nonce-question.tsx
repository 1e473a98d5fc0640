// The question before a nonce is deleted.
import { useEffect } from 'preact/hooks';
import { Confirm } from '../../parts/actions/confirm.tsx';
import { commandLine } from '../../parts/command.ts';
import { readNames, wordOf } from '../../parts/names.ts';
import { safe } from '../../parts/text.ts';
import { formatUses, type NonceRow, targetWord } from './rows.ts';

interface NonceQuestionProps {
  readonly row: NonceRow;
  readonly onYes: (row: NonceRow) => Promise<void>;
  readonly onClose: () => void;
}

export const NonceQuestion = ({ row, onYes, onClose }: NonceQuestionProps) => {
  useEffect(readNames, []);
  return (
    <Confirm
      title={`Delete a nonce of ${safe(row.name)}?`}
      word="Delete"
      line={commandLine('nonces', 'delete', targetWord(row, wordOf), row.nonce.id)}
      onYes={() => void onYes(row)}
      onClose={onClose}
    >
      <code>{safe(row.nonce.id)}</code> ({formatUses(row.nonce)}) is deleted at once and cannot be used any more.
    </Confirm>
  );
};
