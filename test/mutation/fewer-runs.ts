// Properties run with fewer examples in mutation testing, because every mutant runs them again.
import fc from 'fast-check';

fc.configureGlobal({ numRuns: 20 });
