/** The area codes with their states and zones. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {callerQuestions} from '../../../contract/questions.ts';
import {areaCodeOf, areaCodes} from '../../../server/leads/area-codes.ts';
import {zonesOfState} from '../../../server/leads/time-there.ts';

/** Codes that serve the same area, those of a state in a row. A code that serves a part of another one's area is with it. */
const overlays = `
  205 659, 256 938, 334 483
  327 870
  480 602 623
  209 350, 213 323 738, 310 424, 341 510, 357 559, 369 707, 408 669, 415 628, 442 760, 530 837, 619 858, 657 714,
  747 818, 805 820, 840 909, 279 916
  303 720 983, 748 970
  203 475, 860 959
  202 771
  305 645 786, 321 407 689, 324 904, 448 850, 561 728, 656 813, 754 954
  404 470 678 770 943, 706 762
  208 986
  217 447, 224 847, 309 861, 312 773 872, 331 630, 464 708, 618 730, 779 815
  317 463, 812 930
  270 364
  318 457
  339 781, 351 978, 508 774, 617 857
  227 240 301, 410 443 667
  248 947, 313 679
  507 924
  235 573, 314 557, 816 975
  471 662, 601 769
  336 743, 472 910, 704 980, 919 984
  402 531
  201 551, 609 640, 732 848, 862 973
  702 725
  212 332 646 917, 315 680, 329 845, 347 465 718 917 929, 363 516, 518 838, 624 716, 631 934
  220 740, 234 330, 283 513, 326 937, 380 614, 419 567, 436 440
  405 572, 539 918
  458 541, 503 971
  215 267 445, 223 717, 272 570, 412 724 878, 484 610 835, 582 814
  787 939
  803 839, 821 864, 843 854
  423 729, 615 629
  210 726, 214 469 945 972, 281 346 621 713 832, 430 903, 512 737, 682 817
  385 801
  540 826, 571 703, 686 804, 757 948
  360 564
  274 920, 353 608, 534 715
  304 681`;

suite('the area codes', () => {
  const groups = overlays.trim().split(/[,\n]/).filter(Boolean);
  for (const group of groups.map((codes) => codes.trim().split(' ')))
    test(`${group.join(', ')} have the same state and the same zones`, () => {
      const [first, ...others] = group.map((code) => areaCodes.get(code));
      assert.ok(first);
      for (const other of others) assert.deepEqual(other, first);
    });

  test('have zones that their states have, but for a part of Alaska that keeps the time of Hawaii', () => {
    for (const [code, {state, zones}] of areaCodes) {
      const allowed = [...(zonesOfState.get(state) ?? []), ...(code === '907' ? ['Pacific/Honolulu'] : [])];
      assert.deepEqual(
        zones.filter((zone) => !allowed.includes(zone)),
        [],
        code,
      );
    }
  });

  test('cover every state that a lead may name', () => {
    const states = new Set([...areaCodes.values()].map(({state}) => state));
    assert.deepEqual([...states].toSorted(), callerQuestions.state.choices.toSorted());
  });

  test('are written once each, with three digits', () => {
    assert.equal(areaCodes.size, 378);
    for (const code of areaCodes.keys()) assert.match(code, /^[2-9][0-8]\d$/);
  });

  for (const [what, number] of [
    ['a free number', '+18005550132'],
    ['another free number', '+18335550132'],
    ['a number of Canada', '+14165550132'],
    ['a number of the Bahamas', '+12425550132'],
    ['a number of another country', '+442125550132'],
  ] as const)
    test(`are not those of ${what}`, () => assert.equal(areaCodeOf(number), undefined));

  test('are read from a number', () =>
    assert.deepEqual(areaCodeOf('+16895550132'), {state: 'FL', zones: ['America/New_York']}));
});
