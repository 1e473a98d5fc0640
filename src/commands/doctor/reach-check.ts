// Checks by a container whether containers reach the API and can return results.
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf } from '../../failure.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

type ReachReport = Awaited<ReturnType<typeof askReach>>;

const askReach = (manage: CommandContext['manage']) => manage('daemon.reach');

const OVER_HTTP = 'programs can send results and states over HTTP';
const SAME_MACHINE = 'run the daemon on the machine of the engine, as the user of the engine';

/** @param limitations what the engine does not do, as the daemon says it */
export const reachFindings = (
  { untried, address, ways }: ReachReport,
  limitations: readonly string[],
): readonly Finding[] => {
  const faultOf = (wanted: ReachReport['ways'][number]['way']) => ways.find(({ way }) => way === wanted)?.fault;
  const limits = limitations.join('; ');
  const isWithoutWay = untried === undefined && address === undefined;
  const limited = isWithoutWay ? warning('engine limits', limits, SAME_MACHINE) : ok('engine limits', limits);
  const [api, socket, file] = [faultOf('api'), faultOf('socket'), faultOf('file')];
  const allow = `allow containers to connect to ${address ?? 'the API'} in the firewall of this machine`;
  const faults = [
    ...(api === undefined || isWithoutWay
      ? []
      : [failed('reach', `a container does not reach ${address}: ${api}`, allow)]),
    ...(socket === undefined
      ? []
      : [failed('reach', `a container does not reach the results socket: ${socket}`, OVER_HTTP)]),
    ...(file === undefined ? [] : [failed('reach', `a container cannot write its result file: ${file}`, OVER_HTTP)]),
  ];
  const results = ways.length > 1 ? ' and returns results by socket and file' : '; results go over HTTP';
  const reached =
    untried === undefined ? `a container reaches ${address}${results}` : `no container was tried: ${untried}`;
  return [
    ...(limitations.length > 0 ? [limited] : []),
    ...faults,
    ...(faults.length === 0 && !isWithoutWay ? [ok('reach', reached)] : []),
  ];
};

/** Starts one short container on the engine of the daemon. */
export const checkReach = async (
  { manage }: Pick<CommandContext, 'manage'>,
  { limitations = [] }: Pick<ManageStatus['engines'][number], 'limitations'>,
): Promise<readonly Finding[]> => {
  try {
    return reachFindings(await askReach(manage), limitations);
  } catch (error) {
    const fix = error instanceof CliFailure ? error.extras.hint : undefined;
    return [failed('reach', `a container cannot be tried: ${messageOf(error)}`, fix ?? 'actorctl daemon logs')];
  }
};
